import type { Step } from './steps.ts'

/**
 * Addresses of records and terms that were merged into others. Images have an alternative text, the name of the file that
 * was uploaded, and a text for search.
 */
export const steps: readonly Step[] = [
  `create table if not exists "old_addresses" ("kind" {text} not null, "id" {whole} not null, "slug" {text} not null,
    "target" {whole} not null, "merged_utc" {whole} not null, constraint "old_addresses_key" primary key ("kind", "id"))`,
  `create index if not exists "old_addresses_slug" on "old_addresses" ("kind", "slug")`,
  `create index if not exists "old_addresses_target" on "old_addresses" ("kind", "target")`,
  `alter table "images" add column if not exists "alt" {text} default '' not null`,
  `alter table "images" add column if not exists "name" {text} default '' not null`,
  `alter table "images" add column if not exists "search" {text} default '' not null`,
]
