import type { Step } from './steps.ts'

/**
 * Unique file names of images that are never reused, so that removing one image cannot touch the files of another. A
 * list of files without an image, until they are removed.
 */
export const steps: readonly Step[] = [
  `alter table "images" add column if not exists "file_base" {text}`,
  `create unique index if not exists "images_file" on "images" ("file_base")`,
  `create table if not exists "unused_files" ("file" {text} not null primary key, "since_utc" {whole} not null,
    "removing" {whole} not null)`,
]
