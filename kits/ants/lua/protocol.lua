-- The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.
--
-- Standard output belongs to the protocol: print with io.stderr:write, which is kept in the replay.

local protocol = { UNKNOWN = -1, GRASS = 0, SUGAR = 1, ROCK = 2, MILL = 3, WATER = 4, MEAT = 5 }
protocol.CONTROLLED, protocol.FOREIGN_PROGRAM, protocol.DEAD = 1, 2, 3 -- brains

local MOST = 300 -- no map is wider or higher

-- What the colony knows. (0, 0) is at the top left, y grows downwards. `ants` are all of this player,
-- also dead ones and those of its other programs; `mine` are living ones that this program commands;
-- `foreign` are those of other players in sight, which only version 2 of the protocol tells. An ant has
-- id, x, y, dx, dy, energy, acid and brain.
local State = {}
State.__index = State

local function key(x, y)
  return y * MOST + x
end

-- What is in a cell; UNKNOWN where nobody has looked.
function State:at(x, y)
  return x >= 0 and y >= 0 and x < MOST and self.cells[key(x, y)] or protocol.UNKNOWN
end

function State:is_food(x, y)
  local content = self:at(x, y)
  return content == protocol.SUGAR or content == protocol.MILL or content == protocol.MEAT
end

-- Whether an ant there would see something new.
function State:is_news(x, y)
  if self.visited[key(x, y)] then
    return false
  end
  for i = math.max(x - 1, 0), x + 1 do
    for j = math.max(y - 1, 0), y + 1 do
      if self:at(i, j) == protocol.UNKNOWN then
        return true
      end
    end
  end
  return false
end

function State:is_enemy(x, y)
  for _, ant in ipairs(self.foreign) do
    if ant.x == x and ant.y == y then
      return true
    end
  end
  return false
end

-- Whether a living ant stands there.
function State:is_taken(x, y)
  for _, ant in ipairs(self.ants) do
    if ant.brain ~= protocol.DEAD and ant.x == x and ant.y == y then
      return true
    end
  end
  return self:is_enemy(x, y)
end

-- The order that brings an ant to a cell beside it.
local function towards(ant, x, y)
  local dx, dy = x - ant.x, y - ant.y
  if dx == ant.dx and dy == ant.dy then
    return "forward"
  end
  return dx == ant.dy and dy == -ant.dx and "left" or "right"
end

-- The nearest cell for which `wanted(x, y)` holds, and the order that leads there: x, y, order; nil if
-- there is none.
function State:nearest(ant, wanted)
  local steps = { { ant.dx, ant.dy }, { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } }
  local queue, seen = { { ant.x, ant.y } }, { [key(ant.x, ant.y)] = true }
  local head = 1
  while queue[head] do
    local x, y, first_x, first_y = table.unpack(queue[head])
    if head > 1 and wanted(x, y) then
      return x, y, towards(ant, first_x, first_y)
    end
    for _, step in ipairs(steps) do
      local i, j = x + step[1], y + step[2]
      local content = self:at(i, j)
      local blocked = content == protocol.UNKNOWN or content == protocol.ROCK or content == protocol.WATER
      -- Other ants are in the way of the next step only: they move on.
      if not blocked and not seen[key(i, j)] and not (head == 1 and self:is_taken(i, j)) then
        seen[key(i, j)] = true
        queue[#queue + 1] = { i, j, head == 1 and i or first_x, head == 1 and j or first_y }
      end
    end
    head = head + 1
  end
  return nil
end

-- A line of numbers; empty at the end of the input.
local function numbers()
  local found = {}
  for word in (io.read("l") or ""):gmatch("%S+") do
    found[#found + 1] = math.tointeger(tonumber(word))
  end
  return found
end

local function new_ant(id, n, from)
  return {
    id = id, x = n[from], y = n[from + 1], dx = n[from + 2], dy = n[from + 3],
    energy = n[from + 4], acid = n[from + 5], brain = n[from + 6],
  }
end

-- Reads one message; false at the end of the input, and for the last one, which is not answered.
function State:read()
  local header = numbers()
  if #header < 4 then
    return false
  end
  self.turn, self.players = header[1], header[3]
  self.ants, self.mine, self.foreign = {}, {}, {}
  -- The published version has five numbers, and a line of ids. Version 2 has four, an id in each ant's
  -- line, and foreign ants.
  local published = #header == 5
  local is_mine = {}
  for _, id in ipairs(published and numbers() or {}) do
    is_mine[id] = true
  end
  for i = 0, header[2] - 1 do
    local n = numbers()
    local ant = published and new_ant(i, n, 1) or new_ant(n[1], n, 2)
    self.ants[#self.ants + 1] = ant
    if (not published or is_mine[i]) and ant.brain == protocol.CONTROLLED then
      self.mine[#self.mine + 1] = ant
    end
    if ant.brain ~= protocol.DEAD then
      self.visited[key(ant.x, ant.y)] = true
    end
  end
  if not published then
    for i = 1, numbers()[1] do
      local n = numbers()
      self.foreign[i] = new_ant(-1, { n[1], n[2], n[3], n[4], 0, 0, n[5] }, 1)
    end
  end
  local size = numbers()
  self.width, self.height = size[1], size[2]
  for _ = 1, size[3] do
    local point = numbers()
    self.cells[key(point[1], point[2])] = point[3]
  end
  return header[4] == 1
end

-- Answers every message until the game is over. `move` returns a list of { id, order }: "forward",
-- "left", "right", "rest" or "attack@20"; an ant without one rests.
function protocol.play(move)
  local state = setmetatable({ cells = {}, visited = {} }, State)
  while state:read() do
    local orders = {}
    for i, order in ipairs(move(state)) do
      orders[i] = order[1] .. ":" .. order[2]
    end
    io.write(table.concat(orders, ","), "\n")
    io.flush()
  end
end

return protocol
