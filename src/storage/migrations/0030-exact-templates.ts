import type { Step } from './steps.ts'

/**
 * Rendered events tell what a reader is otherwise told by their events, so that these need not be read: see
 * docs/decisions/event-templates.md. On SQLite a change of the event removes them. All are rendered anew.
 */
export const steps: readonly Step[] = [
  'delete from "event_templates"',
  'delete from "template_progress"',
  'alter table "event_templates" add column if not exists "start_local" {text}',
  'alter table "event_templates" add column if not exists "is_public" {whole}',
  {
    sqlite: [
      'drop trigger if exists "event_templates_outdated"',
      `create trigger "event_templates_outdated" after update on "events"
    when new.revision <> old.revision or new.status <> old.status or new.password_hash is not old.password_hash
    begin delete from "event_templates" where event = new.id; end`,
      'drop trigger if exists "event_templates_removed"',
      `create trigger "event_templates_removed" after delete on "events"
    begin delete from "event_templates" where event = old.id; end`,
      // An earlier version beside this one stores what it has rendered whatever the event is by then.
      ...['insert', 'update'].flatMap((change) => [
        `drop trigger if exists "event_templates_late_${change}"`,
        `create trigger "event_templates_late_${change}" before ${change} on "event_templates"
    when new.revision is not (select revision from "events" where id = new.event)
    begin select raise(ignore); end`,
      ]),
    ],
    postgres: [],
  },
]
