// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct ServerMessageTests {
    private func message(_ body: Data, type: String = "application/json") throws -> String? {
        let response = try TestService().request().respond(
            409, headers: ["Content-Type": type], data: body)
        return ServiceError.unacceptableStatus(response).serverMessage
    }

    @Test(arguments: [
        (
            #"{"code":"MissingParameter","message":"You must provide a hash."}"#,
            "You must provide a hash."
        ),
        (
            #"{"code":409,"status":"You may not request more than 100 items."}"#,
            "You may not request more than 100 items."
        ),
        (#"{"type":"about:blank","title":"Conflict","detail":"Taken."}"#, "Taken."),
        (#"{"error":"invalid_grant","error_description":"Expired."}"#, "Expired."),
        (#"{"error":{"message":"Nested."}}"#, "Nested."),
        (#"{"errors":[{"message":"First."},{"message":"Second."}]}"#, "First."),
        (#"{"errors":{"name":["is too short"],"email":["is taken","is odd"]}}"#, "email: is taken"),
        (#"{"title":"Invalid","errors":{"a":[],"b":{"c":1},"d":"no"}}"#, "d: no"),
        (#"{"errors":{"a":"no","message":"First."}}"#, "First."),
        (#"{"errors":{"title":["can't be blank"]}}"#, "title: can't be blank"),
        (#"{"status_code":7,"status_message":"Invalid API key."}"#, "Invalid API key."),
        (#"{"message":"two\nlines"}"#, "two\nlines"),
        // FastAPI, Elasticsearch, Telegram, ASP.NET, OData, Jira, Django REST framework, Zendesk.
        (
            #"{"detail":[{"type":"missing","loc":["body"],"msg":"Field required"}]}"#,
            "Field required"
        ),
        (
            #"{"error":{"root_cause":[{"reason":"no"}],"type":"x","reason":"no such index"}}"#,
            "no such index"
        ),
        (#"{"ok":false,"error_code":400,"description":"chat not found"}"#, "chat not found"),
        (#"{"Message":"An error has occurred."}"#, "An error has occurred."),
        (
            #"{"odata.error":{"code":"-1","message":{"lang":"en-US","value":"No list."}}}"#,
            "No list."
        ),
        (#"{"errorMessages":["Issue does not exist."],"errors":{}}"#, "Issue does not exist."),
        (#"{"email":["Enter a valid address."]}"#, "email: Enter a valid address."),
        (#"{"error":"RecordInvalid","description":"Validation errors"}"#, "Validation errors"),
        // The server's words aren't changed, even if the request sent them.
        (#"{"message":"The username is taken"}"#, "The username is taken"),
    ])
    func messagesAreFound(body: String, text: String) throws {
        #expect(try message(Data(body.utf8)) == text)
    }

    @Test(arguments: [
        "<html>500</html>", "", "{}", "7", #"{"id":"x"}"#, #"{"message":" \n"}"#, "{",
    ])
    func otherBodiesHaveNoMessage(body: String) throws {
        #expect(try message(Data(body.utf8)) == nil)
        #expect(ServiceError.cancelled.serverMessage == nil)
    }

    @Test(arguments: [
        ("windows-1251", String.Encoding.windowsCP1251, "Неверный запрос"),
        ("iso-8859-1", .isoLatin1, "Ungültige Anfrage"), ("Shift_JIS", .shiftJIS, "無効な要求です"),
        ("utf-16le", .utf16LittleEndian, "No such hero"),
    ])
    func theCharsetIsRead(charset: String, encoding: String.Encoding, text: String) throws {
        let plain = try #require(text.data(using: encoding))
        #expect(try message(plain, type: "text/plain; charset=\(charset)") == text)
        let json = try #require(#"{"message":"\#(text)"}"#.data(using: encoding))
        #expect(try message(json, type: "application/json; charset=\(charset)") == text)
    }

    @Test(.row("Z2")) func messagesAtTheNinthLevelAreNotFound() throws {
        for (depth, isFound) in [(8, true), (9, false), (10_000, false)] {
            let body =
                String(repeating: #"{"error":"#, count: depth) + #""no""#
                + String(repeating: "}", count: depth)
            #expect(try (message(Data(body.utf8)) == "no") == isFound)
        }
    }

    @Test func longMessagesAreCut() throws {
        let body = #"{"message":"\#(String(repeating: "x", count: 1_000_000))"}"#
        #expect(try message(Data(body.utf8))?.count == 4_096)
    }

    /// Comparing and hashing texts with unsorted combining marks takes quadratic time.
    @Test(.slow, .row("Q3")) func hostileBodiesTakeLinearTime() throws {
        let marks = String(repeating: "\u{315}\u{301}\u{327}", count: 100_000)
        let lists = Array(repeating: #""""#, count: 300_000).joined(separator: ",")
        let members = (0..<300_000).map { #""k\#($0)":1"# }.joined(separator: ",")
        let some = String(marks.unicodeScalars.prefix(20))
        let markedMembers = (0..<5_000).map { #""\#($0)\#(some)":1"# }.joined(separator: ",")
        for body in [
            #"{"\#(marks)":"a","message":"b"}"#, #"{"message":"\#(marks)"}"#,
            #"{"errors":[\#(lists)]}"#, "{\(members)}", "{\(markedMembers)}",
        ] {
            let start = threadTime()
            _ = try message(Data(body.utf8))
            let time = threadTime() - start
            #expect(time < 5, "\(body.prefix(20)): \(time) s")
        }
    }
}
