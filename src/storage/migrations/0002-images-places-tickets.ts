import type { Step } from './steps.ts'

const PLACE = `insert into venue_places select new.id, new.geo_lat, new.geo_lat, new.geo_lng, new.geo_lng
  where new.geo_lat is not null and new.geo_lng is not null;`

/** Images, coordinates of venues with a spatial index, tickets. */
export const steps: readonly Step[] = [
  `create table if not exists "images" ("id" {whole} primary key, "author" {whole} not null references "users" ("id"),
    "hash" {text} not null unique, "extension" {text} not null, "mime" {text} not null, "width" {whole} not null,
    "height" {whole} not null, "filesize" {whole} not null, "sizes" {text} not null, "date_utc" {whole} not null)`,
  `create index if not exists "events_image" on "events" ("image")`,
  `create index if not exists "venues_image" on "venues" ("image")`,
  `create index if not exists "organizers_image" on "organizers" ("image")`,
  `alter table "venues" add column if not exists "geo_lat" double precision`,
  `alter table "venues" add column if not exists "geo_lng" double precision`,
  {
    // Triggers keep the R*Tree up to date. It has 32-bit floats, rounded outwards, so queries check the exact distance.
    sqlite: [
      `create virtual table if not exists venue_places using rtree(id, south, north, west, east)`,
      `create trigger if not exists venue_placed after insert on venues begin ${PLACE} end`,
      `create trigger if not exists venue_moved after update of geo_lat, geo_lng on venues
        begin delete from venue_places where id = old.id; ${PLACE} end`,
      `create trigger if not exists venue_removed after delete on venues
        begin delete from venue_places where id = old.id; end`,
    ],
    postgres: [
      `create index if not exists venue_places on venues using gist (point(geo_lng, geo_lat)) where geo_lat is not null`,
    ],
  },
  `create table if not exists "tickets" ("id" {identity},
    "event" {whole} not null references "events" ("id") on delete cascade, "position" {whole} not null,
    "name" {text} not null, "price" {text}, "currency" {text}, "url" {text}, "capacity" {whole},
    "available_from" {whole}, "available_until" {whole})`,
  `create index if not exists "tickets_event" on "tickets" ("event", "position")`,
]
