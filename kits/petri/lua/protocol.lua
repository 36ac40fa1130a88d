-- The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.
--
-- Every agent is a process of its own, from its birth to its death: variables last as long as it does.
-- Standard output belongs to the protocol: print with io.stderr:write, which is kept in the replay.

local json = require("json")

local protocol = {}

-- The eight directions, with their steps: north is y - 1.
protocol.DIRECTIONS = {
  { "north_west", -1, -1 }, { "north", 0, -1 }, { "north_east", 1, -1 }, { "west", -1, 0 },
  { "east", 1, 0 }, { "south_west", -1, 1 }, { "south", 0, 1 }, { "south_east", 1, 1 },
}

-- What an agent sees in a tick: tick, agent_id, x, y, energy, width, height, generation, timeout_ms, and
-- neighbors by direction, each with energy, agent_id (nil: nobody is there) and inside (false: it lies
-- outside of the world).
local State = {}
State.__index = State

local function new_state(message)
  local position, size = message.position or { 0, 0 }, message.world_size or { 1, 1 }
  local cells = message.neighbors or {}
  local state = {
    tick = message.tick, agent_id = message.agent_id, energy = message.energy or 0,
    generation = message.generation, timeout_ms = message.timeout_ms,
    x = position[1], y = position[2], width = size[1], height = size[2], neighbors = {},
  }
  for _, way in ipairs(protocol.DIRECTIONS) do
    local cell = cells[way[1]] or {}
    local x, y = state.x + way[2], state.y + way[3]
    local inside = x >= 0 and x < state.width and y >= 0 and y < state.height
    state.neighbors[way[1]] = { energy = cell.energy or 0, agent_id = cell.agent_id, inside = inside }
  end
  return setmetatable(state, State)
end

-- The directions in which there is room for a child.
function State:free()
  local found = {}
  for _, way in ipairs(protocol.DIRECTIONS) do
    local cell = self.neighbors[way[1]]
    if cell.inside and not cell.agent_id then
      found[#found + 1] = way[1]
    end
  end
  return found
end

-- The directions in which there is another agent, friend or foe.
function State:others()
  local found = {}
  for _, way in ipairs(protocol.DIRECTIONS) do
    if self.neighbors[way[1]].agent_id then
      found[#found + 1] = way[1]
    end
  end
  return found
end

-- Answers every tick until the agent dies or the game is over. `move` returns "rest", "replicate", "die"
-- or "attack north" (any direction).
function protocol.play(move)
  for line in io.lines() do
    if line:find("{", 1, true) then
      local action, target = move(new_state(json.parse(line))):match("^(%S+) ?(%S*)$")
      if target ~= "" then
        io.write('{"action":"', action, '","target":"', target, '"}\n')
      else
        io.write('{"action":"', action, '"}\n')
      end
      io.flush()
    end
  end
end

-- This agent's file; it is gone when the agent is.
function protocol.memory_path()
  return os.getenv("AGENT_MEMORY") or "/tmp/agents/" .. (os.getenv("AGENT_ID") or "agent") .. ".json"
end

-- What was written to the agent's file; nothing at first.
function protocol.read_memory()
  local file = io.open(protocol.memory_path())
  if not file then
    return ""
  end
  local text = file:read("a")
  file:close()
  return text
end

-- Keeps a text of up to 1 MiB in the agent's file.
function protocol.write_memory(text)
  local file = assert(io.open(protocol.memory_path(), "w"))
  file:write(text)
  file:close()
end

return protocol
