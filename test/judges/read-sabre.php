<?php
// Reads calendars with sabre/vobject, and prints the times of their events as JSON.
error_reporting(E_ALL & ~E_DEPRECATED);
ini_set('display_errors', 'stderr');
ini_set('memory_limit', '512M');
// A reader's own zone must not matter.
date_default_timezone_set('Pacific/Auckland');
set_error_handler(function ($level, $message, $file, $line) {
    if ($level & (E_DEPRECATED | E_USER_DEPRECATED)) return true;
    throw new ErrorException($message, 0, $level, $file, $line);
});
$loader = stream_resolve_include_path('Sabre/VObject/autoload.php');
if ($loader === false) exit(3);
require $loader;

function when($event, string $name)
{
    if (!isset($event->$name)) return null;
    $time = $event->$name->getDateTime();
    return $event->$name->hasTime() ? $time->getTimestamp() : $time->format('Y-m-d');
}

function read(string $file): array
{
    $calendar = Sabre\VObject\Reader::read(file_get_contents($file));
    $events = [];
    foreach ($calendar->select('VEVENT') as $event) {
        $events[] = [
            'uid' => (string) $event->UID,
            'title' => (string) $event->SUMMARY,
            'start' => when($event, 'DTSTART'),
            'end' => when($event, 'DTEND'),
        ];
    }
    return $events;
}

$found = [];
foreach (array_slice($argv, 1) as $file) $found[$file] = read($file);
echo json_encode((object) $found, JSON_THROW_ON_ERROR), "\n";
