// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import TestSupport
import Testing

@testable import MarvelClient

/// The mock server's errors: status, format and message.
@Suite(.serialized, .opensFiles, .timeLimit) struct GatewayFailureTests {
    private func guarded(_ code: String, _ message: String) -> String {
        #"{"code":"\#(code)","message":"\#(message)"}"#
    }

    private func expect(
        _ response: MarvelGateway.Answer, _ status: Int, _ text: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == status, sourceLocation: location)
        #expect(response.text == text, sourceLocation: location)
        #expect(
            response.header("Content-Type") == "application/json; charset=utf-8",
            sourceLocation: location)
        #expect(response.header("ETag") == nil, sourceLocation: location)
    }

    @Test(arguments: ["POST", "HEAD", "PUT", "get", ""])
    func onlyGetIsAllowed(method: String) {
        let response = GatewayFixture.gateway.answer(
            method: method, target: "/v1/public/characters")
        expect(response, 405, guarded("MethodNotAllowedError", "\(method) is not allowed"))
        #expect(response.header("Allow") == "GET")
    }

    @Test(arguments: [
        ("", 409, "MissingParameter", "You must provide a user key."),
        ("apikey=9&hash=x", 409, "MissingParameter", "You must provide a timestamp."),
        ("apikey=9", 409, "MissingParameter", "You must provide a timestamp."),
        ("apikey=9&ts=1", 409, "MissingParameter", "You must provide a hash."),
        ("apikey=9&ts=1&hash=x", 401, "InvalidCredentials", "The passed API key is invalid."),
        (
            "apikey=1234&ts=1&hash=x&goofy=1", 401, "InvalidCredentials",
            "That hash, timestamp and key combination is invalid."
        ),
        (
            "apikey=1234&ts=2&hash=ffd275c5130566a2916217b101f26150", 401, "InvalidCredentials",
            "That hash, timestamp and key combination is invalid."
        ),
        (
            "apikey=1234&ts=1&hash=FFD275C5130566A2916217B101F26150", 401, "InvalidCredentials",
            "That hash, timestamp and key combination is invalid."
        ),
    ])
    func missingAndWrongCredentialsAreRefused(
        query: String, status: Int, code: String, message: String
    ) {
        for path in ["characters", "characters/1009610", "characters/1"] {
            let target = "/v1/public/\(path)?\(query)"
            expect(
                GatewayFixture.gateway.answer(method: "GET", target: target), status,
                guarded(code, message))
        }
    }

    @Test(arguments: [
        ("limit=101", "You may not request more than 100 items."),
        ("limit=0", "You must pass an integer limit greater than 0."),
        ("limit=ten", "You must pass an integer limit greater than 0."),
        ("limit=+5", "You must pass an integer limit greater than 0."),
        ("limit=", "limit cannot be blank if it is set"),
        ("offset=-1", "You must pass an integer offset of at least 0."),
        ("offset", "offset cannot be blank if it is set"),
        ("invalid_param=1", "We don't recognize the parameter invalid_param"),
        ("limit=5&invalid_param=&name=", "We don't recognize the parameter invalid_param"),
        ("name=", "name cannot be blank if it is set"),
        ("name=+%20", "name cannot be blank if it is set"),
        ("modifiedSince=yesterday", "You must pass a valid date if you set modifiedSince."),
        ("modifiedSince=2014-02-30", "You must pass a valid date if you set modifiedSince."),
        ("orderBy=name,goofiness", "goofiness is not a valid ordering parameter."),
        ("orderBy=name,", " is not a valid ordering parameter."),
        ("comics=1,2,3,4,5,6,7,8,9,10,11", "You may not submit more than 10 issue ids."),
        ("comics=x", "You must pass at least one valid issue id if you set the issue filter."),
        ("events=x", "You must pass at least one valid event id if you set the event filter."),
    ])
    func invalidParametersAreRefused(query: String, text: String) {
        expect(GatewayFixture.get("characters", query), 409, #"{"code":409,"status":"\#(text)"}"#)
    }

    @Test(arguments: ["1", "0", "-1009610", "x", "99999999999999999999999", "%31009610", "1.0"])
    func unknownCharactersAreNotFound(id: String) {
        expect(
            GatewayFixture.get("characters/\(id)"), 404,
            #"{"code":404,"status":"We couldn't find that character"}"#)
    }

    @Test func aSingleCharacterTakesNoParameters() {
        expect(
            GatewayFixture.get("characters/1009610", "limit=5"), 409,
            #"{"code":409,"status":"We don't recognize the parameter limit"}"#)
    }

    @Test(arguments: [
        "", "/", "*", "/v1/public", "/v1/public/comics", "/V1/public/characters",
        "/v1/public/characters/1009610/comics", "http://gateway.marvel.com",
    ])
    func unknownPathsAreNotFound(target: String) {
        let path = target.hasPrefix("http") ? "" : target
        expect(
            GatewayFixture.gateway.answer(
                method: "GET", target: "\(target)?\(GatewayFixture.credentials)"),
            404, guarded("ResourceNotFound", "\(path) does not exist"))
    }
}
