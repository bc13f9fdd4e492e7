import type { Step } from './steps.ts'

/**
 * All ASCII characters that the tokenizer would treat as separators by default. Quotes are doubled twice, for SQL
 * within SQL.
 */
const TOKEN_CHARACTERS =
  '\x01\x02\x03\x04\x05\x06\x07\b\v\f\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f' +
  "!\"#$%&''''()*+,-./:;<=>?@[\\]^_`{|}~\x7f"

/** Words of a text, with repetitions: separated by white space, three letters or longer. */
function words(text: string, tables = ''): string {
  const spaced = `replace(replace(replace(replace(${text}, char(0), ' '), char(9), ' '), char(10), ' '), char(13), ' ')`
  // Quoted first, then split: JSON quoting adds no spaces.
  return `select value from ${tables} json_each('[' || replace(json_quote(${spaced}), ' ', '","') || ']')
    where length(value) >= 3`
}

const ADDED = `insert into words (word) ${words('new.search')} on conflict do nothing`

/** Deletes words that no event has any more. */
function unused(still = ''): string {
  return `delete from words where word in (${words('old.search')} ${still})
    and not exists (select 1 from event_words where event_words match '"' || replace(words.word, '"', '""') || '"')`
}

/** On SQLite, a substring index of events: see storage/sqlite/word-index.ts. */
export const steps: readonly Step[] = [
  {
    postgres: [],
    sqlite: [
      `drop trigger if exists event_words_added`,
      `drop trigger if exists event_words_changed`,
      `drop trigger if exists event_words_removed`,
      `drop table if exists event_words`,
      `drop table if exists word_parts`,
      `drop table if exists words`,
      `create table words (id integer primary key, word text not null unique)`,
      `create virtual table word_parts using fts5(word, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`,
      `create virtual table event_words using fts5(search, content='', contentless_delete=1, detail=none,
        tokenize='ascii tokenchars ''${TOKEN_CHARACTERS}''')`,
      `create trigger word_added after insert on words
        begin insert into word_parts (rowid, word) values (new.id, new.word); end`,
      `create trigger word_removed after delete on words
        begin delete from word_parts where rowid = old.id; end`,
      {
        table: 'events',
        key: 'id',
        statement: `insert into words (word) ${words('events.search', 'events,')}
          and events.id > {after} and events.id <= {last} on conflict do nothing`,
      },
      {
        table: 'events',
        key: 'id',
        statement: `insert into event_words (rowid, search) select id, search from events where id > {after} and id <= {last}`,
      },
      `create trigger event_words_added after insert on events begin
        ${ADDED};
        insert into event_words (rowid, search) values (new.id, new.search); end`,
      `create trigger event_words_changed after update of search on events when new.search <> old.search begin
        ${ADDED};
        delete from event_words where rowid = old.id;
        insert into event_words (rowid, search) values (new.id, new.search);
        ${unused(`except ${words('new.search')}`)}; end`,
      `create trigger event_words_removed after delete on events begin
        delete from event_words where rowid = old.id;
        ${unused()}; end`,
    ],
  },
]
