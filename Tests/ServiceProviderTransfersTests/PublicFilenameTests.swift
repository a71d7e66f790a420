// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers
import Testing

/// The cases of the public suite for RFC 6266 (http://test.greenbytes.de/tech/tc2231), by the names they
/// have there. Not those that only browsers can show: dates, and a status of 403.
@Suite struct PublicFilenameTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        let field: String
        /// The suggested name; "page" is that of the URL.
        let expected: String

        var testDescription: String { name }

        init(_ name: String, _ field: String, _ expected: String = "page") {
            self.name = name
            self.field = field
            self.expected = expected
        }
    }

    static let valid: [Case] = [
        .init("inlonly", "inline"),
        .init("inlwithasciifilename", "inline; filename=\"foo.html\"", "foo.html"),
        .init(
            "inlwithfnattach", "inline; filename=\"Not an attachment!\"", "Not an attachment!"),
        .init("inlwithasciifilenamepdf", "inline; filename=\"foo.pdf\"", "foo.pdf"),
        .init("attonly", "attachment"),
        .init("attonlyucase", "ATTACHMENT"),
        .init("attwithasciifilename", "attachment; filename=\"foo.html\"", "foo.html"),
        .init(
            "attwithasciifilename25", "attachment; filename=\"0000000000111111111122222\"",
            "0000000000111111111122222"),
        .init(
            "attwithasciifilename35",
            "attachment; filename=\"00000000001111111111222222222233333\"",
            "00000000001111111111222222222233333"),
        .init("attwithasciifnescapedchar", #"attachment; filename="f\oo.html""#, "foo.html"),
        .init(
            "attwithasciifnescapedquote", #"attachment; filename="\"quoting\" tested.html""#,
            #""quoting" tested.html"#),
        .init(
            "attwithquotedsemicolon", "attachment; filename=\"Here's a semicolon;.html\"",
            "Here's a semicolon;.html"),
        .init(
            "attwithfilenameandextparam", "attachment; foo=\"bar\"; filename=\"foo.html\"",
            "foo.html"),
        .init(
            "attwithfilenameandextparamescaped",
            #"attachment; foo="\"\\";filename="foo.html""#, "foo.html"),
        .init("attwithasciifilenameucase", "attachment; FILENAME=\"foo.html\"", "foo.html"),
        .init("attwithasciifilenamenq", "attachment; filename=foo.html", "foo.html"),
        .init("attwithfntokensq", "attachment; filename='foo.bar'", "'foo.bar'"),
        .init("attwithisofnplain", "attachment; filename=\"foo-ä.html\"", "foo-ä.html"),
        .init("attwithutf8fnplain", "attachment; filename=\"foo-Ã¤.html\"", "foo-Ã¤.html"),
        .init("attwithfnrawpctenca", "attachment; filename=\"foo-%41.html\"", "foo-%41.html"),
        .init("attwithfnusingpct", "attachment; filename=\"50%.html\"", "50%.html"),
        .init("attwithfnrawpctencaq", #"attachment; filename="foo-%\41.html""#, "foo-%41.html"),
        .init("attwithnamepct", "attachment; name=\"foo-%41.html\""),
        .init("attwithfilenamepctandiso", "attachment; filename=\"ä-%41.html\"", "ä-%41.html"),
        .init(
            "attwithfnrawpctenclong", "attachment; filename=\"foo-%c3%a4-%e2%82%ac.html\"",
            "foo-%c3%a4-%e2%82%ac.html"),
        .init("attwithasciifilenamews1", "attachment; filename =\"foo.html\"", "foo.html"),
        .init("attconfusedparam", "attachment; xfilename=foo.html"),
        .init("attabspath", "attachment; filename=\"/foo.html\"", "foo.html"),
        .init("attabspathwin", #"attachment; filename="\\foo.html""#, "foo.html"),
        .init("dispext", "foobar"),
        .init("dispextbadfn", "attachment; example=\"filename=example.txt\""),
        .init("attnewandfn", "attachment; foobar=x; filename=\"foo.html\"", "foo.html"),
        .init(
            "attrfc2047quoted", "attachment; filename=\"=?ISO-8859-1?Q?foo-=E4.html?=\"",
            "=?ISO-8859-1?Q?foo-=E4.html?="),
    ]

    static let encoded: [Case] = [
        .init(
            "attwithisofn2231iso", "attachment; filename*=iso-8859-1''foo-%E4.html", "foo-ä.html"),
        .init(
            "attwithfn2231utf8", "attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html",
            "foo-ä-€.html"),
        .init("attwithfn2231noc", "attachment; filename*=''foo-%c3%a4-%e2%82%ac.html"),
        .init(
            "attwithfn2231utf8comp", "attachment; filename*=UTF-8''foo-a%cc%88.html",
            "foo-a\u{308}.html"),
        .init(
            "attwithfn2231utf8-bad",
            "attachment; filename*=iso-8859-1''foo-%c3%a4-%e2%82%ac.html"),
        .init("attwithfn2231iso-bad", "attachment; filename*=utf-8''foo-%E4.html"),
        .init("attwithfn2231ws1", "attachment; filename *=UTF-8''foo-%c3%a4.html"),
        .init("attwithfn2231ws2", "attachment; filename*= UTF-8''foo-%c3%a4.html", "foo-ä.html"),
        .init("attwithfn2231ws3", "attachment; filename* =UTF-8''foo-%c3%a4.html", "foo-ä.html"),
        .init("attwithfn2231quot2", "attachment; filename*=\"foo%20bar.html\""),
        .init("attwithfn2231singleqmissing", "attachment; filename*=UTF-8'foo-%c3%a4.html"),
        .init("attwithfn2231dpct", "attachment; filename*=UTF-8''A-%2541.html", "A-%41.html"),
        .init(
            "attwithfn2231abspathdisguised", "attachment; filename*=UTF-8''%5cfoo.html", "foo.html"),
        .init(
            "attfnboth", "attachment; filename=\"foo-ae.html\"; filename*=UTF-8''foo-%c3%a4.html",
            "foo-ä.html"),
        .init(
            "attfnboth2", "attachment; filename*=UTF-8''foo-%c3%a4.html; filename=\"foo-ae.html\"",
            "foo-ä.html"),
        .init(
            "attfnboth3",
            "attachment; filename*0*=ISO-8859-15''euro-sign%3d%a4; "
                + "filename*=ISO-8859-1''currency-sign%3d%a4",
            "currency-sign=¤"),
    ]

    /// Names in several parts (RFC 2231), which RFC 6266 doesn't have. A browser may ignore them.
    static let parts: [Case] = [
        .init("attfncont", "attachment; filename*0=\"foo.\"; filename*1=\"html\""),
        .init("attfncontqs", #"attachment; filename*0="foo"; filename*1="\b\a\r.html""#),
        .init("attfncontenc", "attachment; filename*0*=UTF-8''foo-%c3%a4; filename*1=\".html\""),
        .init("attfncontlz", "attachment; filename*0=\"foo\"; filename*01=\"bar\""),
        .init("attfncontnc", "attachment; filename*0=\"foo\"; filename*2=\"bar\""),
        .init("attfnconts1", "attachment; filename*1=\"foo.\"; filename*2=\"html\""),
        .init("attfncontord", "attachment; filename*1=\"bar\"; filename*0=\"foo\""),
    ]

    /// The suite wants these invalid fields to be ignored.
    static let ignored: [Case] = [
        .init("inlonlyquoted", "\"inline\""),
        .init("attonlyquoted", "\"attachment\""),
        .init("attmissingdisposition", "filename=foo.html"),
        .init("attmissingdisposition3", "\"foo; filename=bar;baz\"; filename=qux"),
        .init("attmissingdisposition4", "filename=foo.html, filename=bar.html"),
        .init("attmissingdelim", "attachment; foo=foo filename=bar"),
        .init("attmissingdelim3", "attachment filename=bar"),
        .init("attreversed", "filename=foo.html; attachment"),
    ]

    /// The suite wants these invalid fields to be ignored, too, but servers send such names, and the safe
    /// part of one is better than the end of the URL.
    static let choices: [Case] = [
        .init("attwithtokfncommanq", "attachment; filename=foo,bar.html", "foo,bar.html"),
        .init("attwithasciifilenamenqs", "attachment; filename=foo.html ;", "foo.html"),
        .init("attemptyparam", "attachment; ;filename=foo", "foo"),
        .init("attwithasciifilenamenqws", "attachment; filename=foo bar.html", "foo bar.html"),
        .init(
            "attwith2filenames", "attachment; filename=\"foo.html\"; filename=\"bar.html\"",
            "foo.html"),
        .init("attfnbrokentoken", "attachment; filename=foo[1](2).html", "foo[1](2).html"),
        .init("attfnbrokentokeniso", "attachment; filename=foo-ä.html", "foo-ä.html"),
        .init("attfnbrokentokenutf", "attachment; filename=foo-Ã¤.html", "foo-Ã¤.html"),
        .init("attmissingdisposition2", "x=y; filename=foo.html", "foo.html"),
        .init("emptydisposition", "; filename=foo.html", "foo.html"),
        .init("doublecolon", ": inline; attachment; filename=foo.html", "foo.html"),
        .init("attandinline", "inline; attachment; filename=foo.html", "foo.html"),
        .init("attandinline2", "attachment; inline; filename=foo.html", "foo.html"),
        .init("attbrokenquotedfn", "attachment; filename=\"foo.html\".txt", "foo.html"),
        .init("attbrokenquotedfn2", "attachment; filename=\"bar", "bar"),
        .init("attbrokenquotedfn3", "attachment; filename=foo\"bar;baz\"qux", "foo\"bar"),
        .init(
            "attmultinstances", "attachment; filename=foo.html, attachment; filename=bar.html",
            "foo.html"),
        .init("attmissingdelim2", "attachment; filename=bar foo=foo ", "bar foo=foo"),
        .init(
            "attwithfn2231quot", "attachment; filename*=\"UTF-8''foo-%c3%a4.html\"", "foo-ä.html"),
        .init("attwithfn2231nbadpct1", "attachment; filename*=UTF-8''foo%", "foo%"),
        .init("attwithfn2231nbadpct2", "attachment; filename*=UTF-8''f%oo.html", "f%oo.html"),
        .init(
            "attrfc2047token", "attachment; filename==?ISO-8859-1?Q?foo-=E4.html?=",
            "=?ISO-8859-1?Q?foo-=E4.html?="),
    ]

    /// Fields of several responses' headers, which are joined.
    static let joined: [Case] = [
        .init("inline, then attachment", "inline, attachment; filename=b.txt"),
        .init("a comma in quotes", "attachment; filename=\"a, attachment; b\"", "a, attachment; b"),
        .init("in another case", "attachment; filename=a.txt , ATTACHMENT ;filename=b", "a.txt"),
        .init("a longer word", "attachment; filename=a, attachments.txt", "a, attachments.txt"),
    ]

    @Test(arguments: valid + encoded + parts + ignored + choices + joined)
    func namesAreThoseOfThePublicSuite(_ row: Case) throws {
        let name = try SuggestedFilenameTests.name(row.field)
        #expect(name.unicodeScalars.elementsEqual(row.expected.unicodeScalars), "\(name)")
    }
}
