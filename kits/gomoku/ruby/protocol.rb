# frozen_string_literal: true

# The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.
#
# Standard output belongs to the protocol: print with `warn`, which is kept in the replay.

EMPTY, ME, THEM, FORBIDDEN = 0, 1, 2, 3

# The position in which the bot has to move.
class State
  DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]].freeze

  # `cells[y][x]` is EMPTY, ME, THEM or FORBIDDEN; `stones` are [x, y, who] in the order in which they
  # were played; `info` is what INFO said: "timeout_turn", "time_left", "rule" and so on.
  attr_reader :width, :height, :cells, :stones, :info

  def initialize(width, height)
    @width, @height, @info = width, height, {}
    clear
  end

  def inside?(x, y) = x.between?(0, width - 1) && y.between?(0, height - 1)

  def free?(x, y) = inside?(x, y) && cells[y][x] == EMPTY

  # All cells without a stone, row by row.
  def free
    height.times.flat_map { |y| width.times.map { |x| [x, y] } }.select { |x, y| free?(x, y) }
  end

  # How many stones in a row `who` would have through this cell by playing there.
  def row(x, y, who)
    DIRECTIONS.map do |dx, dy|
      1 + [1, -1].sum do |sign|
        (1..).take_while do |i|
          inside?(x + i * sign * dx, y + i * sign * dy) && cells[y + i * sign * dy][x + i * sign * dx] == who
        end.size
      end
    end.max
  end

  # How long this move may take, in milliseconds.
  def time_ms
    limits = info.values_at('timeout_turn', 'time_left').map(&:to_i)
    limits.select(&:positive?).min || 2_147_483_647
  end

  def clear
    @cells = Array.new(height) { Array.new(width, EMPTY) }
    @stones = []
  end

  def put(x, y, who)
    cells[y][x] = who
    stones << [x, y, who]
  end

  def take_back(x, y)
    cells[y][x] = EMPTY
    stones.reject! { |stone| stone[0] == x && stone[1] == y }
  end
end

# One conversation with the manager.
class Protocol
  SIDES = (5..32).freeze

  # Answers the manager until it says END or is gone.
  def self.play(name = 'mybot', &move) = new(name, move).run

  def initialize(name, move)
    @name, @move = name, move
    @state = State.new(0, 0)
    $stdout.sync = true
  end

  def run
    while (line = $stdin.gets)
      word, rest = line.strip.split(/\s+/, 2)
      next if word.nil?
      return if word.upcase == 'END'

      handle(word.upcase, rest || '')
    end
  end

  private

  def handle(word, rest)
    cell = numbers(rest)
    case word
    when 'START', 'RECTSTART'
      if cell.size == (word == 'START' ? 1 : 2) && cell.all? { |side| SIDES.cover?(side) }
        @state = State.new(cell.first, cell.last)
        puts 'OK'
      else
        puts "ERROR boards have sides of #{SIDES.min} to #{SIDES.max}"
      end
    when 'RESTART'
      @state.clear
      puts 'OK'
    when 'INFO'
      key, value = rest.split(/\s+/, 2)
      @state.info[key.downcase] = value.to_s if key
    when 'BEGIN' then answer
    when 'TURN'
      if cell.size == 2 && @state.free?(*cell)
        @state.put(*cell, THEM)
        answer
      else
        puts "ERROR not a free cell: #{rest}"
      end
    when 'BOARD'
      @state.clear
      until_done.each { |stone| @state.put(*stone) if stone.size == 3 && @state.free?(*stone[0, 2]) }
      answer
    when 'SWAP2BOARD' then swap2
    when 'PLAY' # comes only after SUGGEST, which this bot never says
      if cell.size == 2 && @state.free?(*cell)
        @state.put(*cell, ME)
        puts cell.join(',')
      else
        puts "ERROR not a free cell: #{rest}"
      end
    when 'TAKEBACK'
      if cell.size == 2 && @state.inside?(*cell)
        @state.take_back(*cell)
        puts 'OK'
      else
        puts "ERROR not a cell: #{rest}"
      end
    when 'ABOUT' then puts %(name="#{@name}", version="1.0", author="", country="")
    else puts "UNKNOWN #{word}"
    end
  end

  def swap2
    @state.clear
    # Whoever answers with one cell takes White: black stones are the other's then.
    until_done.each_with_index do |stone, number|
      @state.put(*stone[0, 2], number.odd? ? ME : THEM) if stone.size >= 2 && @state.free?(*stone[0, 2])
    end
    return answer if @state.stones.any?

    x, y = @state.width / 2, @state.height / 2
    puts "#{x},#{y} #{x + 1},#{y} #{x - 1},#{y + 2}"
  end

  def answer
    return puts('ERROR there is no free cell') if @state.free.empty?

    x, y = @move.call(@state)
    raise "move returned #{[x, y]}, which is not a free cell" unless @state.free?(x, y)

    @state.put(x, y, ME)
    puts "#{x},#{y}"
  end

  # The lines of a position as lists of numbers.
  def until_done
    found = []
    while (line = $stdin.gets) && line.strip.upcase != 'DONE'
      found << numbers(line)
    end
    found
  end

  # The numbers of "7,8" or "15"; nothing if it is something else.
  def numbers(text)
    text.strip.split(',', -1).map { |part| Integer(part.strip, 10) }
  rescue ArgumentError
    []
  end
end
