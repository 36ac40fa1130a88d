-- The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.
--
-- Standard output belongs to the protocol: print with io.stderr:write, which is kept in the replay.

local protocol = { EMPTY = 0, ME = 1, THEM = 2, FORBIDDEN = 3 }

local DIRECTIONS = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 1, -1 } }
local LEAST, MOST = 5, 32 -- sides of a board

-- The position in which the bot has to move. `cells[y][x]`, both from 0, is EMPTY, ME, THEM or
-- FORBIDDEN; `stones` are { x, y, who } in the order in which they were played; `info` is what INFO
-- said: timeout_turn, time_left, rule and so on.
local State = {}
State.__index = State

local function new_state(width, height)
  local state = setmetatable({ width = width, height = height, info = {} }, State)
  state:clear()
  return state
end

function State:clear()
  self.cells, self.stones = {}, {}
  for y = 0, self.height - 1 do
    self.cells[y] = {}
    for x = 0, self.width - 1 do
      self.cells[y][x] = protocol.EMPTY
    end
  end
end

function State:inside(x, y)
  return x >= 0 and x < self.width and y >= 0 and y < self.height
end

function State:is_free(x, y)
  return self:inside(x, y) and self.cells[y][x] == protocol.EMPTY
end

-- All cells without a stone, row by row, as { x, y }.
function State:free()
  local found = {}
  for y = 0, self.height - 1 do
    for x = 0, self.width - 1 do
      if self:is_free(x, y) then
        found[#found + 1] = { x, y }
      end
    end
  end
  return found
end

-- How many stones in a row `who` would have through this cell by playing there.
function State:row(x, y, who)
  local longest = 0
  for _, direction in ipairs(DIRECTIONS) do
    local count = 1
    for sign = -1, 1, 2 do
      local dx, dy = sign * direction[1], sign * direction[2]
      local i, j = x + dx, y + dy
      while self:inside(i, j) and self.cells[j][i] == who do
        count, i, j = count + 1, i + dx, j + dy
      end
    end
    longest = math.max(longest, count)
  end
  return longest
end

-- How long this move may take, in milliseconds.
function State:time_ms()
  local least = 2147483647
  for _, key in ipairs({ "timeout_turn", "time_left" }) do
    local limit = tonumber(self.info[key]) or 0
    if limit > 0 then
      least = math.min(least, limit)
    end
  end
  return least
end

function State:put(x, y, who)
  self.cells[y][x] = who
  self.stones[#self.stones + 1] = { x, y, who }
end

function State:take_back(x, y)
  self.cells[y][x] = protocol.EMPTY
  for i = #self.stones, 1, -1 do
    if self.stones[i][1] == x and self.stones[i][2] == y then
      table.remove(self.stones, i)
    end
  end
end

-- Writes a line, which leaves at once.
local function say(format, ...)
  io.write(string.format(format, ...), "\n")
  io.flush()
end

local function trimmed(text)
  return text:match("^%s*(.-)%s*$")
end

-- The numbers of "7,8" or "15"; nothing if it is something else.
local function numbers(text)
  local found = {}
  for part in (text .. ","):gmatch("([^,]*),") do
    local number = trimmed(part):match("^-?%d+$")
    if not number then
      return {}
    end
    found[#found + 1] = math.tointeger(tonumber(number)) or math.maxinteger
  end
  return found
end

-- The lines of a position as lists of numbers.
local function until_done()
  local found = {}
  for line in io.lines() do
    if trimmed(line):upper() == "DONE" then
      break
    end
    found[#found + 1] = numbers(line)
  end
  return found
end

local function answer(state, move)
  if #state:free() == 0 then
    return say("ERROR there is no free cell")
  end
  local x, y = move(state)
  if not state:is_free(x, y) then
    error(string.format("move returned %s,%s, which is not a free cell", x, y))
  end
  state:put(x, y, protocol.ME)
  say("%d,%d", x, y)
end

-- Answers the manager until it says END or is gone. `move` returns x, y.
function protocol.play(move, name)
  local state = new_state(0, 0)
  for line in io.lines() do
    local word, rest = trimmed(line):match("^(%S*)%s*(.*)$")
    word = word:upper()
    local cell = numbers(rest)
    local x, y = cell[1], cell[2]
    local is_free = #cell == 2 and state:is_free(x, y)
    if word == "START" or word == "RECTSTART" then
      local fits = #cell == (word == "START" and 1 or 2)
      for _, side in ipairs(cell) do
        fits = fits and side >= LEAST and side <= MOST
      end
      if fits then
        state = new_state(cell[1], cell[#cell])
        say("OK")
      else
        say("ERROR boards have sides of %d to %d", LEAST, MOST)
      end
    elseif word == "RESTART" then
      state:clear()
      say("OK")
    elseif word == "INFO" then
      local key, value = rest:match("^(%S+)%s*(.*)$")
      if key then
        state.info[key:lower()] = value
      end
    elseif word == "BEGIN" then
      answer(state, move)
    elseif word == "TURN" and is_free then
      state:put(x, y, protocol.THEM)
      answer(state, move)
    elseif word == "BOARD" then
      state:clear()
      for _, stone in ipairs(until_done()) do
        if #stone == 3 and state:is_free(stone[1], stone[2]) then
          state:put(stone[1], stone[2], stone[3])
        end
      end
      answer(state, move)
    elseif word == "SWAP2BOARD" then
      state:clear()
      -- Whoever answers with one cell takes White: black stones are the other's then.
      for number, stone in ipairs(until_done()) do
        if #stone >= 2 and state:is_free(stone[1], stone[2]) then
          state:put(stone[1], stone[2], number % 2 == 1 and protocol.THEM or protocol.ME)
        end
      end
      if #state.stones > 0 then
        answer(state, move)
      else
        local i, j = state.width // 2, state.height // 2
        say("%d,%d %d,%d %d,%d", i, j, i + 1, j, i - 1, j + 2)
      end
    elseif word == "PLAY" and is_free then -- comes only after SUGGEST, which this bot never says
      state:put(x, y, protocol.ME)
      say("%d,%d", x, y)
    elseif word == "TURN" or word == "PLAY" then
      say("ERROR not a free cell: %s", rest)
    elseif word == "TAKEBACK" then
      if #cell == 2 and state:inside(x, y) then
        state:take_back(x, y)
        say("OK")
      else
        say("ERROR not a cell: %s", rest)
      end
    elseif word == "ABOUT" then
      say('name="%s", version="1.0", author="", country=""', name)
    elseif word == "END" then
      return
    elseif word ~= "" then
      say("UNKNOWN %s", word)
    end
  end
end

return protocol
