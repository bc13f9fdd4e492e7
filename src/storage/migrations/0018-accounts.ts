import type { Step } from './steps.ts'

/** Settings of the site, and links by which users set a password. */
export const steps: readonly Step[] = [
  `create table if not exists "settings" ("name" {text} primary key, "value" {text} not null)`,
  `create table if not exists "invitations" ("user" {whole} primary key references "users" ("id") on delete cascade,
    "hash" {text} not null unique, "expires_utc" {whole} not null)`,
]
