// The protocol of jedna: reads requests, asks `Move` for a card, and writes the answer.
//
// Standard output belongs to the protocol: print to Console.Error, which is kept in the replay.
using System;
using System.Collections.Generic;
using System.Linq;

/// A card to play; a wild card also names the color to follow.
sealed class Choice
{
    public string Card, Color;
}

sealed class Opponent
{
    public string Id;
    public int Cards;
}

/// What the bot knows when it has to act. Cards are "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4".
sealed class State
{
    static readonly string[] Colors = { "red", "blue", "green", "yellow" };

    public string YourId, TopCard;
    /// Null while a turned-up wild has none.
    public string TopColor;
    /// "normal", "war_+2" or "war_wd4".
    public string GameState;
    /// What passing in a war costs.
    public int StackedCards;
    public bool AlreadyPicked;
    /// Or null.
    public string PickedCard;
    public List<string> Hand, AvailableActions, PlayableCards;
    /// The next one first.
    public List<Opponent> OtherPlayers;
    /// All since the game began: "player2 played b5".
    public List<string> Notifications;

    public State(Json json, List<string> notifications)
    {
        YourId = json["your_id"].Text;
        Hand = json["hand"].Texts;
        TopCard = json["top_card"].Text;
        TopColor = json["top_color"].Text;
        GameState = json["game_state"].Text ?? "normal";
        StackedCards = json["stacked_cards"].Number();
        AlreadyPicked = json["already_picked"].IsTrue;
        PickedCard = json["picked_card"].Text;
        OtherPlayers = json["other_players"].List
            .Select(player => new Opponent { Id = player["id"].Text, Cards = player["cards"].Number() })
            .ToList();
        AvailableActions = json["available_actions"].Texts;
        PlayableCards = json["playable_cards"].Texts;
        Notifications = notifications;
    }

    /// The color of most cards in the hand.
    public string FavouriteColor() => Colors.OrderByDescending(color => Hand.Count(card => card[0] == color[0])).First();
}

static class Protocol
{
    public static bool IsWild(string card) => card[0] == 'w';

    /// What a card costs if it is still in the hand at the end.
    public static int Points(string card)
    {
        if (IsWild(card)) return 50;
        return char.IsDigit(card[1]) ? card[1] - '0' : 20;
    }

    /// Answers the host until the game ends. A choice of null draws a card (or passes, where drawing is not possible).
    public static void Play(Func<State, Choice> move)
    {
        var notifications = new List<string>();
        bool refused = false;
        for (string line; (line = Console.In.ReadLine()) != null;)
        {
            if (line.Trim() == "") continue;
            Json message = Json.Parse(line);
            switch (message["type"].Text)
            {
                case "request_action":
                    var state = new State(message["state"], notifications);
                    // What was refused once would be refused again.
                    Choice choice = refused ? null : move(state);
                    refused = false;
                    Console.Out.Write(Answer(state, choice) + "\n");
                    Console.Out.Flush();
                    break;
                case "notification":
                    notifications.Add(message["message"].Text);
                    break;
                case "error":
                    refused = true;
                    Console.Error.WriteLine("refused: " + message["message"].Text);
                    break;
                case "game_end":
                    return;
            }
        }
    }

    static string Answer(State state, Choice choice)
    {
        if (choice == null) return "{\"action\":\"" + (state.AvailableActions.Contains("draw") ? "draw" : "pass") + "\"}";
        string color = choice.Color ?? state.FavouriteColor();
        string wild = IsWild(choice.Card) ? ",\"wild_color\":\"" + color + "\"" : "";
        return "{\"action\":\"play\",\"card\":\"" + choice.Card + "\"" + wild + "}";
    }
}
