# frozen_string_literal: true

# Goes for the nearest cheese.
require_relative 'protocol'

# The first move on the way to the cheese that is reached in the fewest turns.
def move(state)
  turns, first = state.ways(state.me.cell)
  nearest = state.cheese.min_by { |cell| turns[cell] }
  nearest ? first[nearest] : 'STAY'
end

Protocol.play("mybot") { |state| move(state) }
