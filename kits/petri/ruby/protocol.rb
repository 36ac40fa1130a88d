# frozen_string_literal: true

# The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.
#
# Every agent is a process of its own, from its birth to its death: variables last as long as it
# does. Standard output belongs to the protocol: print with `warn`, which is kept in the replay.

require 'json'

DIRECTIONS = {
  'north_west' => [-1, -1], 'north' => [0, -1], 'north_east' => [1, -1], 'west' => [-1, 0],
  'east' => [1, 0], 'south_west' => [-1, 1], 'south' => [0, 1], 'south_east' => [1, 1]
}.freeze
ACTIONS = ['rest', 'replicate', 'die', *DIRECTIONS.keys.map { |way| "attack #{way}" }].freeze

# A cell beside the agent: `agent_id` is nil where nobody is, `inside` false outside of the world.
Neighbor = Struct.new(:energy, :agent_id, :inside)

# What an agent sees in a tick.
class State
  attr_reader :tick, :agent_id, :x, :y, :energy, :width, :height, :neighbors, :generation, :timeout_ms

  def initialize(message)
    @tick, @agent_id, @energy = message.values_at('tick', 'agent_id', 'energy')
    @generation, @timeout_ms = message.values_at('generation', 'timeout_ms')
    @x, @y = message.fetch('position', [0, 0])
    @width, @height = message.fetch('world_size', [1, 1])
    @neighbors = DIRECTIONS.to_h do |way, (dx, dy)|
      cell = message.fetch('neighbors', {})[way] || {}
      inside = (x + dx).between?(0, width - 1) && (y + dy).between?(0, height - 1)
      [way, Neighbor.new(cell.fetch('energy', 0), cell['agent_id'], inside)]
    end
  end

  # The directions in which there is room for a child.
  def free = neighbors.select { |_, cell| cell.inside && cell.agent_id.nil? }.keys

  # The directions in which there is another agent, friend or foe.
  def others = neighbors.select { |_, cell| cell.agent_id }.keys
end

# One conversation with the host.
module Protocol
  # Answers every tick until the agent dies or the game is over. The block returns "rest", "replicate",
  # "die" or "attack north" (any direction).
  def self.play
    $stdout.sync = true
    while (line = $stdin.gets)
      next if line.strip.empty?

      chosen = yield(State.new(JSON.parse(line)))
      raise "move returned #{chosen.inspect}, which is not an action" unless ACTIONS.include?(chosen)

      action, target = chosen.split
      puts JSON.generate(target ? { action: action, target: target } : { action: action })
    end
  end
end

# This agent's file; it is gone when the agent is.
def memory_path = ENV['AGENT_MEMORY'] || "/tmp/agents/#{ENV['AGENT_ID']}.json"

# What was written to the agent's file; nothing at first.
def read_memory = File.exist?(memory_path) ? File.read(memory_path) : ''

# Keeps a text of up to 1 MiB in the agent's file.
def write_memory(text) = File.write(memory_path, text)
