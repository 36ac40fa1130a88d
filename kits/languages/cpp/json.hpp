// A small reader of JSON.
#pragma once

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// A value. What it is not reads as nothing: a text as "", a list as an empty one, a field as null.
class Json {
public:
    enum Kind { Null, Bool, Number, Text, List, Object };

    Kind kind = Null;
    double number = 0;  // 1 for true
    std::string text;
    std::vector<Json> items;
    std::map<std::string, Json> fields;

    // Reads a whole text; throws std::runtime_error if it is not JSON.
    static Json parse(const std::string& text) {
        size_t at = 0;
        Json value = read(text, at, 0);
        blanks(text, at);
        if (at != text.size()) throw std::runtime_error("more than one value of JSON");
        return value;
    }

    const Json& operator[](const std::string& key) const {
        static const Json null;
        auto found = fields.find(key);
        return found == fields.end() ? null : found->second;
    }

    bool is_null() const { return kind == Null; }
    bool is_true() const { return kind == Bool && number == 1; }
    int as_int(int otherwise = 0) const { return kind == Number ? static_cast<int>(number) : otherwise; }

    // The texts of a list.
    std::vector<std::string> texts() const {
        std::vector<std::string> found;
        for (const Json& item : items) found.push_back(item.text);
        return found;
    }

private:
    static void blanks(const std::string& text, size_t& at) {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) at++;
    }

    static void expect(const std::string& text, size_t& at, const std::string& word) {
        if (text.compare(at, word.size(), word) != 0) throw std::runtime_error("no JSON: expected " + word);
        at += word.size();
    }

    static Json read(const std::string& text, size_t& at, int depth) {
        if (depth > 127) throw std::runtime_error("JSON that is nested too deeply");
        blanks(text, at);
        char first = at < text.size() ? text[at] : 0;
        Json value;
        if (first == 'n') {
            expect(text, at, "null");
        } else if (first == 't') {
            expect(text, at, "true");
            value.kind = Bool;
            value.number = 1;
        } else if (first == 'f') {
            expect(text, at, "false");
            value.kind = Bool;
        } else if (first == '"') {
            value.kind = Text;
            value.text = read_text(text, at);
        } else if (first == '[' || first == '{') {
            value.kind = first == '[' ? List : Object;
            char end = first == '[' ? ']' : '}';
            at++;
            blanks(text, at);
            for (bool is_first = true; at >= text.size() || text[at] != end; is_first = false) {
                if (!is_first) expect(text, at, ",");
                blanks(text, at);
                if (value.kind == List) {
                    value.items.push_back(read(text, at, depth + 1));
                } else {
                    std::string key = read_text(text, at);
                    blanks(text, at);
                    expect(text, at, ":");
                    value.fields[key] = read(text, at, depth + 1);
                }
                blanks(text, at);
            }
            at++;
        } else {
            char* end = nullptr;
            value.kind = Number;
            value.number = std::strtod(text.c_str() + at, &end);
            size_t used = static_cast<size_t>(end - text.c_str()) - at;
            if (used == 0) throw std::runtime_error("no JSON");
            at += used;
        }
        return value;
    }

    static std::string read_text(const std::string& text, size_t& at) {
        expect(text, at, "\"");
        std::string found;
        while (at < text.size() && text[at] != '"') {
            char c = text[at++];
            if (c != '\\' || at >= text.size()) {
                found += c;
                continue;
            }
            c = text[at++];
            size_t known = std::string("nrtbf").find(c);
            if (c == 'u') found += read_unicode(text, at);
            else found += known == std::string::npos ? c : "\n\r\t\b\f"[known];
        }
        expect(text, at, "\"");
        return found;
    }

    // The letter of "\u00e9", or of a pair such as "\ud83d\ude00", as UTF-8.
    static std::string read_unicode(const std::string& text, size_t& at) {
        unsigned long code = read_hex(text, at);
        if (code >= 0xd800 && code < 0xdc00 && text.compare(at, 2, "\\u") == 0) {
            at += 2;
            code = 0x10000 + ((code - 0xd800) << 10) + (read_hex(text, at) - 0xdc00);
        }
        auto low = [](unsigned long bits) { return static_cast<char>(0x80 | (bits & 63)); };
        if (code < 0x80) return {static_cast<char>(code)};
        if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), low(code)};
        if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), low(code >> 6), low(code)};
        return {static_cast<char>(0xf0 | code >> 18), low(code >> 12), low(code >> 6), low(code)};
    }

    static unsigned long read_hex(const std::string& text, size_t& at) {
        unsigned long code = std::strtoul(text.substr(at, 4).c_str(), nullptr, 16);
        at += 4;
        return code;
    }
};
