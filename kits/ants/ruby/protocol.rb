# frozen_string_literal: true

# The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.
#
# Standard output belongs to the protocol: print with `warn`, which is kept in the replay.

UNKNOWN, GRASS, SUGAR, ROCK, MILL, WATER, MEAT = *-1..5
CONTROLLED, FOREIGN_PROGRAM, DEAD = 1, 2, 3 # brains

# An ant of ours; of a foreign one only place, direction and brain are known.
Ant = Struct.new(:id, :x, :y, :dx, :dy, :energy, :acid, :brain) do
  def cell = [x, y]

  # The cell in front of it.
  def ahead = [x + dx, y + dy]
end

# What the colony knows. (0, 0) is at the top left, y grows downwards.
class State
  # `ants` are all of this player, also dead ones and those of its other programs; `mine` are living
  # ones that this program commands; `foreign` are those of other players in sight, which only version 2
  # of the protocol tells. `cells` is what is where, as last seen.
  attr_reader :turn, :players, :ants, :mine, :foreign, :width, :height, :cells, :visited

  def initialize
    @cells, @visited = Hash.new(UNKNOWN), {}
  end

  # What is in a cell; UNKNOWN where nobody has looked.
  def at(x, y) = cells[[x, y]]

  def food?(x, y) = [SUGAR, MILL, MEAT].include?(at(x, y))

  # Whether an ant there would see something new.
  def news?(x, y)
    return false if visited[[x, y]]

    [*x - 1..x + 1].product([*y - 1..y + 1]).any? { |i, j| i >= 0 && j >= 0 && at(i, j) == UNKNOWN }
  end

  def enemy?(x, y) = foreign.any? { |ant| ant.cell == [x, y] }

  # Whether a living ant stands there.
  def taken?(x, y) = enemy?(x, y) || ants.any? { |ant| ant.brain != DEAD && ant.cell == [x, y] }

  # The nearest cell for which the block holds, and the order that leads there: [x, y, order]; nil if
  # there is none.
  def nearest(ant)
    start = ant.cell
    queue, first = [start], { start => start }
    while (cell = queue.shift)
      return [*cell, towards(ant, first[cell])] if cell != start && yield(*cell)

      [[ant.dx, ant.dy], [1, 0], [0, 1], [-1, 0], [0, -1]].each do |dx, dy|
        to = [cell[0] + dx, cell[1] + dy]
        next if first.key?(to) || [UNKNOWN, ROCK, WATER].include?(cells[to])
        # Other ants are in the way of the next step only: they move on.
        next if cell == start && taken?(*to)

        first[to] = cell == start ? to : first[cell]
        queue << to
      end
    end
  end

  # The order that brings an ant to a cell beside it.
  def towards(ant, cell)
    step = [cell[0] - ant.x, cell[1] - ant.y]
    return 'forward' if step == [ant.dx, ant.dy]

    step == [ant.dy, -ant.dx] ? 'left' : 'right'
  end

  # Reads one message; false at the end of the input, and for the last one, which is not answered.
  def read
    header = numbers
    return false if header.size < 4

    @turn, count, @players, status = header
    if header.size == 5
      # The published version: the number of our ants is in the header, their ids in a line.
      ids = numbers
      @ants = Array.new(count) { |id| Ant.new(id, *numbers) }
      @mine = ants.select { |ant| ids.include?(ant.id) && ant.brain == CONTROLLED }
      @foreign = []
    else
      # Version 2: every ant has its id, and foreign ants are told.
      @ants = Array.new(count) { Ant.new(*numbers) }
      @mine = ants.select { |ant| ant.brain == CONTROLLED }
      @foreign = Array.new(numbers.first) do
        x, y, dx, dy, brain = numbers
        Ant.new(-1, x, y, dx, dy, 0, 0, brain)
      end
    end
    @width, @height, points = numbers
    points.times do
      x, y, content = numbers
      cells[[x, y]] = content
    end
    ants.each { |ant| visited[ant.cell] = true unless ant.brain == DEAD }
    status == 1
  end

  private

  # A line of numbers; empty at the end of the input.
  def numbers = $stdin.gets.to_s.split.map(&:to_i)
end

# One conversation with the host.
module Protocol
  # Answers every message until the game is over. The block returns { id => order }: "forward", "left",
  # "right", "rest" or "attack@20"; an ant without one rests.
  def self.play
    $stdout.sync = true
    state = State.new
    puts yield(state).map { |id, order| "#{id}:#{order}" }.join(',') while state.read
  end
end
