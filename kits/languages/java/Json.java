import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A small reader of JSON. What a value is not reads as nothing: a text as null, a list as an empty one. */
final class Json {
    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    /** Reads a whole text; throws IllegalArgumentException if it is not JSON. */
    static Json parse(String text) {
        Reader reader = new Reader(text);
        Json value = reader.read(0);
        reader.blanks();
        if (reader.at != text.length()) throw new IllegalArgumentException("more than one value of JSON");
        return value;
    }

    /** A field of an object; null's value if there is none. */
    Json get(String key) {
        Object found = value instanceof Map<?, ?> fields ? fields.get(key) : null;
        return found instanceof Json json ? json : new Json(null);
    }

    /** The text, or what is given in its place. */
    String text(String otherwise) {
        return value instanceof String text ? text : otherwise;
    }

    int number(int otherwise) {
        return value instanceof Double number ? number.intValue() : otherwise;
    }

    boolean isTrue() {
        return Boolean.TRUE.equals(value);
    }

    /** The values of a list. */
    List<Json> list() {
        List<Json> found = new ArrayList<>();
        if (value instanceof List<?> items) items.forEach(item -> found.add((Json) item));
        return found;
    }

    /** The texts of a list. */
    List<String> texts() {
        return list().stream().map(item -> item.text("")).toList();
    }

    private static final class Reader {
        final String text;
        int at;

        Reader(String text) {
            this.text = text;
        }

        char peek() {
            return at < text.length() ? text.charAt(at) : 0;
        }

        void blanks() {
            while (at < text.length() && " \t\r\n".indexOf(peek()) >= 0) at++;
        }

        void expect(String word) {
            if (!text.startsWith(word, at)) throw new IllegalArgumentException("no JSON: expected " + word);
            at += word.length();
        }

        Json read(int depth) {
            if (depth > 127) throw new IllegalArgumentException("JSON that is nested too deeply");
            blanks();
            switch (peek()) {
                case 'n':
                    expect("null");
                    return new Json(null);
                case 't':
                    expect("true");
                    return new Json(true);
                case 'f':
                    expect("false");
                    return new Json(false);
                case '"':
                    return new Json(readText());
                case '[': {
                    List<Json> items = new ArrayList<>();
                    while (next(']', items.isEmpty())) items.add(read(depth + 1));
                    return new Json(items);
                }
                case '{': {
                    Map<String, Json> fields = new HashMap<>();
                    while (next('}', fields.isEmpty())) {
                        blanks();
                        String key = readText();
                        blanks();
                        expect(":");
                        fields.put(key, read(depth + 1));
                    }
                    return new Json(fields);
                }
                default: {
                    int from = at;
                    while (at < text.length() && "+-.0123456789eE".indexOf(peek()) >= 0) at++;
                    return new Json(Double.valueOf(text.substring(from, at)));
                }
            }
        }

        /** Goes on to the next item between brackets; false at their end. */
        boolean next(char end, boolean first) {
            if (first) at++;
            blanks();
            if (peek() == end) {
                at++;
                return false;
            }
            if (!first) expect(",");
            return true;
        }

        String readText() {
            expect("\"");
            StringBuilder found = new StringBuilder();
            while (peek() != '"') {
                if (at >= text.length()) throw new IllegalArgumentException("a text of JSON without an end");
                char letter = text.charAt(at++);
                if (letter == '\\') {
                    letter = peek();
                    at++;
                    int known = "nrtbf".indexOf(letter);
                    if (known >= 0) {
                        letter = "\n\r\t\b\f".charAt(known);
                    } else if (letter == 'u') {
                        letter = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                        at += 4;
                    }
                }
                found.append(letter);
            }
            at++;
            return found.toString();
        }
    }
}
