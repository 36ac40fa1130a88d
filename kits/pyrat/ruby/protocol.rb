# frozen_string_literal: true

# The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.
#
# A thread reads while the bot thinks, so that `isready` and `stop` are heard: a long thought asks
# `state.stopped?` now and then. Standard output belongs to the protocol: print with `warn`, which is
# kept in the replay.

FAR = 1_000_000 # turns to a cell that cannot be reached
STEPS = { 'UP' => [0, 1], 'DOWN' => [0, -1], 'LEFT' => [-1, 0], 'RIGHT' => [1, 0] }.freeze

# Where a player is, and its score. While it is in mud, `target` is the cell it will arrive at and
# `mud` the turns until then; its moves are ignored meanwhile.
Player = Struct.new(:cell, :target, :mud, :score)

# The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left.
class State
  # `time` has limits in milliseconds: "move", "preprocessing", "postprocessing"; `options` is what
  # setoption said.
  attr_reader :width, :height, :players, :turn, :time, :options
  attr_accessor :cheese, :role

  def initialize(options = {}, signals = {})
    @options, @signals, @time = options, signals, {}
    @cheese, @role, @turn = [], 'rat', 0
    @players = { 'rat' => Player.new(0, 0, 0, 0.0), 'python' => Player.new(0, 0, 0, 0.0) }
  end

  def me = players[role]

  def other = players[role == 'rat' ? 'python' : 'rat']

  # Whether a thought has to end.
  def stopped? = @signals[:stop]

  # The moves that lead out of a cell: [move, where to, in how many turns].
  def exits(cell)
    @costs[cell].filter_map { |move, turns| [move, neighbour(cell, move), turns] if turns.positive? }
  end

  # For every cell: in how many turns it is reached from `start`, and by which first move.
  def ways(start)
    turns = Array.new(width * height, FAR)
    first = Array.new(width * height, 'STAY')
    turns[start] = 0
    queue = [start]
    while (cell = queue.shift)
      exits(cell).each do |move, to, cost|
        next if turns[cell] + cost >= turns[to]

        turns[to] = turns[cell] + cost
        first[to] = cell == start ? move : first[cell]
        queue << to
      end
    end
    [turns, first]
  end

  # ---- keeping track ----

  def neighbour(cell, move) = cell + STEPS[move][1] * width + STEPS[move][0]

  def make_maze(width, height)
    @width, @height = width, height
    @costs = Array.new(width * height) do |cell|
      STEPS.transform_values do |dx, dy|
        inside = (cell % width + dx).between?(0, width - 1) && (cell / width + dy).between?(0, height - 1)
        inside ? 1 : 0
      end
    end
  end

  # Between two cells, in both directions.
  def set_cost(a, b, turns)
    [[a, b], [b, a]].each do |cell, to|
      exits(cell).each { |move, leads_to, _| @costs[cell][move] = turns if leads_to == to }
    end
  end

  # One turn of one player: it moves, or struggles on in the mud whatever its move is.
  def advance(player, move)
    cost = @costs[player.cell][move] || 0
    if player.mud.positive?
      player.mud -= 1
    elsif cost.positive?
      player.target = neighbour(player.cell, move)
      player.mud = cost - 1
    end
    player.cell = player.target if player.mud.zero?
  end

  # One turn of the game.
  def step(moves)
    @turn += 1
    players.each { |role, player| advance(player, moves[role]) }
    eaters = players.values.select { |player| player.mud.zero? && cheese.include?(player.cell) }
    shared = eaters.size == 2 && eaters[0].cell == eaters[1].cell
    eaters.each { |player| player.score += shared ? 0.5 : 1.0 }
    @cheese -= eaters.map(&:cell)
  end

  # After a restart: the history of moves tells who is how deep in mud. A walk along it from the right
  # start ends where the player is now. Usually the start is the player's corner.
  def recover_mud(history)
    @turn = history.size / 2
    last = width * height - 1
    { 'rat' => 0, 'python' => last }.each_with_index do |(role, corner), number|
      [corner, *0..last].each do |start|
        walker = Player.new(start, start, 0, 0.0)
        history.each_slice(2) { |moves| advance(walker, moves[number]) }
        next unless walker.cell == players[role].cell

        players[role].target, players[role].mud = walker.target, walker.mud
        break
      end
    end
  end

  # The cells in a text: "(0,0)-(0,1)".
  def cells(text)
    text.scan(/\((\d+),(\d+)\)/).map { |x, y| y.to_i * width + x.to_i }
  end
end

# One conversation with the engine.
class Protocol
  # Answers the engine until it is gone.
  def self.play(name = 'mybot', &move) = new(name, move).run

  def initialize(name, move)
    @name, @move = name, move
    @lines, @signals, @options = Queue.new, {}, {}
    $stdout.sync = true
    new_game
  end

  def run
    Thread.new { read }
    while (line = @lines.pop)
      word, rest = line.split(/\s+/, 2)
      handle(word, rest || '')
    end
  end

  private

  def new_game
    @state, @history, @begun = State.new(@options, @signals), [], false
  end

  # Runs on a thread of its own: what cannot wait until the thought is over is done here.
  def read
    while (line = $stdin.gets)
      line = line.strip
      case line[/\A\S+/]
      when nil then next
      when 'isready' then say('readyok')
      when 'stop' then @signals[:stop] = true
      when 'timeout' then @signals[:stop] = @signals[:late] = true
      when 'go', 'startpreprocessing'
        @signals[:stop] = @signals[:late] = false
        @lines << line
      else @lines << line
      end
    end
    @signals[:stop] = true
    @lines << nil
  end

  def handle(word, rest)
    case word
    when 'pyrat'
      say("id name #{@name}")
      say('pyratready')
    when 'setoption'
      key, value = rest.delete_prefix('name ').split(/\s+value\s+/, 2)
      @options[key] = value.to_s
    when 'newgame', 'recover' then new_game
    when 'maze' then @state.make_maze(pairs(rest)['width'].to_i, pairs(rest)['height'].to_i)
    when 'walls' then rest.split.each { |part| @state.set_cost(*@state.cells(part), 0) }
    when 'mud' then rest.split.each { |part| @state.set_cost(*@state.cells(part), part[/\d+\z/].to_i + 1) }
    when 'cheese' then @state.cheese = @state.cells(rest)
    when 'player1', 'player2'
      player = @state.players[rest.split.first]
      player.cell = player.target = @state.cells(rest).first
    when 'timecontrol' then @state.time.merge!(pairs(rest).transform_values(&:to_i))
    when 'moves_history' then @history, @begun = rest.split, true
    when 'score' then pairs(rest).each { |role, score| @state.players[role].score = score.to_f }
    when 'youare'
      @state.role = rest
      @state.recover_mud(@history) if @begun
    when 'startpreprocessing' then say('preprocessingdone')
    when 'moves'
      # The first ones come before the first turn.
      @state.step(pairs(rest)) if @begun
      @begun = true
    when 'go'
      @begun = true
      move = @move.call(@state)
      raise "move returned #{move.inspect}, which is not a move" unless move == 'STAY' || STEPS.key?(move)

      # After a time-out the engine has played STAY and does not want this move any more.
      say("move #{move}") unless @signals[:late]
    when 'ready?' then say('ready')
    when 'startpostprocessing' then say('postprocessingdone')
    end
    # `debug`, `current_position` and `gameover` tell nothing that this bot needs; what is not known
    # is ignored.
  end

  # "rat:UP python:LEFT" as a hash.
  def pairs(text) = text.split.to_h { |part| part.split(':', 2) }

  # One write for a line: both threads say something.
  def say(line) = $stdout.write("#{line}\n")
end
