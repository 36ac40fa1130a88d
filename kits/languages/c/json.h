/* A small reader of JSON. A value stays in memory until `json_free` is called. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } JsonKind;

typedef struct Json {
    JsonKind kind;
    char *key;          /* of a field of an object */
    char *text;         /* of a text */
    double number;      /* of a number; 1 for true */
    struct Json *items; /* of a list or an object: the first of them */
    struct Json *next;  /* the next one in the same list or object */
} Json;

static inline void json_free(Json *value) {
    while (value) {
        Json *next = value->next;
        json_free(value->items);
        free(value->key);
        free(value->text);
        free(value);
        value = next;
    }
}

static inline void json_blanks(const char **at) {
    while (**at == ' ' || **at == '\t' || **at == '\r' || **at == '\n') ++*at;
}

/* Reads four digits behind "\u". */
static inline int json_hex(const char **at) {
    int code = 0;
    for (int i = 0; i < 4; i++, ++*at) {
        char c = **at;
        int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
        if (digit < 0) return -1;
        code = 16 * code + digit;
    }
    return code;
}

static inline char *json_utf8(char *out, int code) {
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 63));
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

/* Reads a text between quotation marks; NULL if there is none. */
static inline char *json_text(const char **at) {
    if (**at != '"') return NULL;
    char *text = malloc(strlen(*at) + 1), *out = text;
    if (!text) exit(1);
    for (++*at; **at && **at != '"';) {
        char c = *(*at)++;
        if (c == '\\') {
            c = *(*at)++;
            if (c == 'u') {
                int code = json_hex(at);
                if (code >= 0xd800 && code < 0xdc00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
                    *at += 2;
                    code = 0x10000 + ((code - 0xd800) << 10) + (json_hex(at) - 0xdc00);
                }
                if (code < 0) break;
                out = json_utf8(out, code);
                continue;
            }
            if (c == 0) break;
            const char *known = strchr("nrtbf", c);
            if (known) c = "\n\r\t\b\f"[known - "nrtbf"];
        }
        *out++ = c;
    }
    *out = 0;
    if (**at != '"') {
        free(text);
        return NULL;
    }
    ++*at;
    return text;
}

static inline Json *json_value(const char **at, int depth) {
    Json *value = calloc(1, sizeof *value);
    if (!value) exit(1);
    json_blanks(at);
    char first = **at;
    bool fits = depth < 128;
    if (!fits) {
    } else if (!strncmp(*at, "null", 4)) {
        *at += 4;
    } else if (!strncmp(*at, "true", 4)) {
        value->kind = JSON_BOOL;
        value->number = 1;
        *at += 4;
    } else if (!strncmp(*at, "false", 5)) {
        value->kind = JSON_BOOL;
        *at += 5;
    } else if (first == '"') {
        value->kind = JSON_TEXT;
        fits = (value->text = json_text(at)) != NULL;
    } else if (first == '[' || first == '{') {
        char end = first == '[' ? ']' : '}';
        Json **last = &value->items;
        value->kind = first == '[' ? JSON_LIST : JSON_OBJECT;
        ++*at;
        json_blanks(at);
        while (fits && **at != end) {
            char *key = NULL;
            if (first == '{') {
                fits = (key = json_text(at)) != NULL;
                json_blanks(at);
                fits = fits && *(*at)++ == ':';
            }
            Json *item = fits ? json_value(at, depth + 1) : NULL;
            if (!item) {
                free(key);
                fits = false;
                break;
            }
            item->key = key;
            *last = item;
            last = &item->next;
            json_blanks(at);
            if (**at == ',') {
                ++*at;
                json_blanks(at);
                fits = **at != end;
            } else {
                fits = **at == end;
            }
        }
        if (fits) ++*at;
    } else {
        char *end;
        value->kind = JSON_NUMBER;
        value->number = strtod(*at, &end);
        fits = end != *at;
        *at = end;
    }
    if (fits) return value;
    json_free(value);
    return NULL;
}

/* Reads a whole text; NULL if it is not JSON. */
static inline Json *json_parse(const char *text) {
    Json *value = json_value(&text, 0);
    json_blanks(&text);
    if (!value || *text == 0) return value;
    json_free(value);
    return NULL;
}

/* A field of an object; NULL if there is none. All functions below may be given NULL. */
static inline const Json *json_get(const Json *object, const char *key) {
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (const Json *field = object->items; field; field = field->next)
        if (!strcmp(field->key, key)) return field;
    return NULL;
}

/* What a text holds; NULL if it is none. */
static inline const char *json_string(const Json *value) {
    return value && value->kind == JSON_TEXT ? value->text : NULL;
}

static inline int json_int(const Json *value, int otherwise) {
    return value && value->kind == JSON_NUMBER ? (int)value->number : otherwise;
}

static inline bool json_true(const Json *value) {
    return value && value->kind == JSON_BOOL && value->number == 1;
}

/* The first of a list; go on with ->next. */
static inline const Json *json_items(const Json *list) {
    return list && list->kind == JSON_LIST ? list->items : NULL;
}

#endif
