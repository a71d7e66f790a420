// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A comic, series, story or event that a character appears in.
struct GatewayAppearance: Sendable {
    /// The four kinds. The raw value is the name of the parameter and of the path.
    enum Kind: String, CaseIterable, Sendable {
        case comics, series, stories, events
    }

    /// The kind of appearance.
    let kind: Kind
    /// Marvel's ID.
    let id: Int
    /// The title. Sometimes empty, as in the real data.
    let name: String
    /// The type of a story. Nil for comics, series and events.
    let storyType: String?

    private init(_ kind: Kind, _ id: Int, _ name: String, type storyType: String? = nil) {
        self.kind = kind
        self.id = id
        self.name = name
        self.storyType = storyType
    }

    /// The first appearances of some characters, by character ID.
    ///
    /// They cover every form of an item. Other characters have empty lists, as some real ones do.
    // swift-format-ignore
    static let byCharacter: [Int: [GatewayAppearance]] = [
        1011334: [
            .init(.comics, 21366, "Avengers: The Initiative (2007) #14"),
            .init(.comics, 10223, "Marvel Premiere (1972) #35"),
            .init(.series, 1945, "Avengers: The Initiative (2007 - 2010)"),
            .init(.stories, 19947, "Cover #19947", type: "cover"),
            .init(.stories, 19948, "The 3-D Man!", type: "interiorStory"),
            .init(.events, 269, "Secret Invasion"),
        ],
        1009165: [
            .init(.comics, 49010, "100th Anniversary Special (2014) #1"),
            .init(.series, 18454, "100th Anniversary Special (2014)"),
            .init(.stories, 490, "Interior #490", type: "interiorStory"),
            .init(.events, 116, "Acts of Vengeance!"),
        ],
        1009187: [
            .init(.comics, 43498, "A+X (2012) #3"),
            .init(.series, 16450, "A+X (2012 - 2014)"),
            .init(.stories, 650, "2 of 2- Black Panther crossover", type: "cover"),
            .init(.events, 238, "Civil War"),
        ],
        1009189: [
            .init(.comics, 43495, "A+X (2012) #2"),
            .init(.series, 16450, "A+X (2012 - 2014)"),
            .init(.stories, 1060, "Cover #1060", type: "cover"),
            .init(.events, 116, "Acts of Vengeance!"),
        ],
        1009220: [
            .init(.comics, 43488, "A+X (2012) #1"),
            .init(.series, 16450, "A+X (2012 - 2014)"),
            .init(.stories, 670, "X-MEN (2004) #186", type: "cover"),
            .init(.events, 116, "Acts of Vengeance!"),
        ],
        1010774: [
            .init(.comics, 16890, "Amazing Spider-Man Annual (1964) #16"),
            .init(.series, 2984, "Amazing Spider-Man Annual (1964 - 2018)"),
            .init(.stories, 35407, "", type: "profile"),
            .init(.events, 336, "Secret Empire"),
        ],
        1009368: [
            .init(.comics, 43495, "A+X (2012) #2"),
            .init(.series, 16450, "A+X (2012 - 2014)"),
            .init(.stories, 670, "X-MEN (2004) #186", type: "cover"),
            .init(.events, 116, "Acts of Vengeance!"),
        ],
        1009610: [
            .init(.comics, 49008, "100th Anniversary Special (2014) #1"),
            .init(.stories, 483, "Interior #483", type: "interiorStory"),
            .init(.events, 116, "Acts of Vengeance!"),
        ],
        1009664: [
            .init(.comics, 43506, "A+X (2012) #7"),
            .init(.series, 16450, "A+X (2012 - 2014)"),
            .init(.stories, 876, "THOR (1998) #76", type: "cover"),
            .init(.events, 116, "Acts of Vengeance!"),
        ],
        1009741: [
            .init(.comics, 22118, "Strange Tales (1998) #1"),
            .init(.series, 5850, "Strange Tales (1998)"),
            .init(.stories, 49770, "", type: "recap"),
        ],
    ]
}
