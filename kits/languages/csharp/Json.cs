// A small reader of JSON. What a value is not reads as nothing: a text as null, a list as an empty one.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

sealed class Json
{
    readonly object value;

    Json(object value)
    {
        this.value = value;
    }

    /// Reads a whole text; throws FormatException if it is not JSON.
    public static Json Parse(string text)
    {
        var reader = new Reader(text);
        Json value = reader.Read(0);
        reader.Blanks();
        if (reader.At != text.Length) throw new FormatException("more than one value of JSON");
        return value;
    }

    /// A field of an object; a value of null if there is none.
    public Json this[string key] =>
        value is Dictionary<string, Json> fields && fields.TryGetValue(key, out Json found) ? found : new Json(null);

    /// The text, or null.
    public string Text => value as string;

    public int Number(int otherwise = 0) => value is double number ? (int)number : otherwise;

    public bool IsTrue => value is bool known && known;

    /// The values of a list.
    public List<Json> List => value as List<Json> ?? new List<Json>();

    /// The texts of a list.
    public List<string> Texts => List.Select(item => item.Text).ToList();

    sealed class Reader
    {
        readonly string text;
        public int At;

        public Reader(string text)
        {
            this.text = text;
        }

        char Peek => At < text.Length ? text[At] : '\0';

        public void Blanks()
        {
            while (At < text.Length && " \t\r\n".IndexOf(Peek) >= 0) At++;
        }

        void Expect(string word)
        {
            if (string.CompareOrdinal(text, At, word, 0, word.Length) != 0)
                throw new FormatException("no JSON: expected " + word);
            At += word.Length;
        }

        public Json Read(int depth)
        {
            if (depth > 127) throw new FormatException("JSON that is nested too deeply");
            Blanks();
            switch (Peek)
            {
                case 'n':
                    Expect("null");
                    return new Json(null);
                case 't':
                    Expect("true");
                    return new Json(true);
                case 'f':
                    Expect("false");
                    return new Json(false);
                case '"':
                    return new Json(ReadText());
                case '[':
                    var items = new List<Json>();
                    while (Next(']', items.Count == 0)) items.Add(Read(depth + 1));
                    return new Json(items);
                case '{':
                    var fields = new Dictionary<string, Json>();
                    while (Next('}', fields.Count == 0))
                    {
                        Blanks();
                        string key = ReadText();
                        Blanks();
                        Expect(":");
                        fields[key] = Read(depth + 1);
                    }
                    return new Json(fields);
                default:
                    int from = At;
                    while (At < text.Length && "+-.0123456789eE".IndexOf(Peek) >= 0) At++;
                    string number = text.Substring(from, At - from);
                    return new Json(double.Parse(number, NumberStyles.Float, CultureInfo.InvariantCulture));
            }
        }

        /// Goes on to the next item between brackets; false at their end.
        bool Next(char end, bool first)
        {
            if (first) At++;
            Blanks();
            if (Peek == end)
            {
                At++;
                return false;
            }
            if (!first) Expect(",");
            return true;
        }

        string ReadText()
        {
            Expect("\"");
            var found = new StringBuilder();
            while (Peek != '"')
            {
                if (At >= text.Length) throw new FormatException("a text of JSON without an end");
                char letter = text[At++];
                if (letter == '\\')
                {
                    letter = Peek;
                    At++;
                    int known = "nrtbf".IndexOf(letter);
                    if (known >= 0)
                    {
                        letter = "\n\r\t\b\f"[known];
                    }
                    else if (letter == 'u')
                    {
                        letter = (char)int.Parse(text.Substring(At, 4), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
                        At += 4;
                    }
                }
                found.Append(letter);
            }
            At++;
            return found.ToString();
        }
    }
}
