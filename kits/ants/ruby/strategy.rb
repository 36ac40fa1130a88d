# frozen_string_literal: true

# Sends every ant to the nearest food, or to where it sees something new.
require_relative 'protocol'

# An order for each ant; two ants never go for the same cell.
def move(state)
  orders, goals = {}, []
  state.mine.each do |ant|
    if state.enemy?(*ant.ahead) && ant.acid.positive?
      orders[ant.id] = "attack@#{ant.acid}"
      next
    end
    found = state.nearest(ant) { |x, y| state.food?(x, y) && !goals.include?([x, y]) }
    found ||= state.nearest(ant) { |x, y| state.news?(x, y) && !goals.include?([x, y]) }
    next unless found

    x, y, orders[ant.id] = found
    goals << [x, y]
  end
  orders
end

Protocol.play { |state| move(state) }
