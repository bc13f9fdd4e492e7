# Reads calendars with icalendar of Ruby, and prints the times of their events as JSON.
require 'json'
require 'stringio'
# A reader's own zone must not matter.
ENV['TZ'] = 'Pacific/Auckland'
begin
  require 'icalendar'
rescue LoadError
  exit 3
end

def moment(value)
  return nil if value.nil?
  return value.strftime('%Y-%m-%d') if value.is_a?(Icalendar::Values::Date)
  value.to_time.to_i
end

def read(file)
  text = File.read(file, encoding: 'UTF-8')
  Icalendar::Calendar.parse(text).flat_map do |calendar|
    calendar.events.map do |event|
      { uid: event.uid, title: event.summary, start: moment(event.dtstart), end: moment(event.dtend) }
    end
  end
end

puts JSON.generate(ARGV.to_h { |file| [file, read(file)] })
