-- A small reader of JSON. Objects and lists become tables, null becomes nil.

local json = {}

local ESCAPES = { n = "\n", r = "\r", t = "\t", b = "\b", f = "\f" }
local WORDS = { ["true"] = true, ["false"] = false }

local function skip_blanks(text, at)
  return text:find("[^ \t\r\n]", at) or #text + 1
end

local function read_text(text, at)
  if text:sub(at, at) ~= '"' then
    error("no JSON: expected a text at " .. at)
  end
  local parts = {}
  at = at + 1
  while true do
    local stop = text:find('["\\]', at) or error("a text of JSON without an end")
    parts[#parts + 1] = text:sub(at, stop - 1)
    if text:sub(stop, stop) == '"' then
      return table.concat(parts), stop + 1
    end
    local letter = text:sub(stop + 1, stop + 1)
    at = stop + 2
    if letter == "u" then
      local code = tonumber(text:sub(at, at + 3), 16) or error("no JSON: a code that is none")
      at = at + 4
      if code >= 0xd800 and code < 0xdc00 and text:sub(at, at + 1) == "\\u" then
        local low = tonumber(text:sub(at + 2, at + 5), 16) or error("no JSON: a code that is none")
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
        at = at + 6
      end
      parts[#parts + 1] = utf8.char(code)
    else
      parts[#parts + 1] = ESCAPES[letter] or letter
    end
  end
end

local function read(text, at, depth)
  if depth > 127 then
    error("JSON that is nested too deeply")
  end
  at = skip_blanks(text, at)
  local first = text:sub(at, at)
  if first == '"' then
    return read_text(text, at)
  end
  if first == "[" or first == "{" then
    local value, count = {}, 0
    local last = first == "[" and "]" or "}"
    at = skip_blanks(text, at + 1)
    while text:sub(at, at) ~= last do
      if count > 0 then
        if text:sub(at, at) ~= "," then
          error("no JSON: expected a comma at " .. at)
        end
        at = skip_blanks(text, at + 1)
      end
      count = count + 1
      local key = count
      if first == "{" then
        key, at = read_text(text, at)
        at = skip_blanks(text, at)
        if text:sub(at, at) ~= ":" then
          error("no JSON: expected a colon at " .. at)
        end
        at = at + 1
      end
      value[key], at = read(text, at, depth + 1)
      at = skip_blanks(text, at)
    end
    return value, at + 1
  end
  local word = text:match("^%a+", at)
  if word == "null" then
    return nil, at + 4
  end
  if WORDS[word] ~= nil then
    return WORDS[word], at + #word
  end
  local digits = text:match("^[-+.%deE]+", at) or error("no JSON at " .. at)
  local number = tonumber(digits) or error("no JSON: a number that is none")
  return math.tointeger(number) or number, at + #digits
end

-- Reads a whole text; an error if it is not JSON.
function json.parse(text)
  local value, at = read(text, 1, 0)
  if skip_blanks(text, at) <= #text then
    error("more than one value of JSON")
  end
  return value
end

return json
