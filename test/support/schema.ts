import { CompiledQuery, type Kysely } from 'kysely'

type Rows = Record<string, string | number | null>[]

/** What each database tells of its own tables, as queries that answer lines. */
const SQLITE = [
  `select type || ' ' || coalesce(sql, name) as line from sqlite_master
    where name not like 'sqlite%' and name not glob '*_words_*' and name not glob '*_parts_*' and name not glob '*_places_*'`,
  `select type || ' ' || sql as line from sqlite_master where type = 'trigger' and name glob '*_words_*'`,
]

const POSTGRES = [
  `select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attcollation = 'pg_catalog."C"'::regcollation then ' collate "C"' else '' end
      || case when a.attnotnull then ' not null' else '' end
      || case when a.attidentity <> '' then ' identity ' || a.attidentity::text else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
  `select 'constraint ' || conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) as line
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'`,
  `select 'index ' || indexdef as line from pg_indexes where schemaname = 'public'`,
  `select 'trigger ' || pg_get_triggerdef(oid) as line from pg_trigger where not tgisinternal`,
  `select 'function ' || proname || ' ' || provolatile::text || ' ' || prosrc as line from pg_proc p join pg_language l on l.oid = p.prolang
    where pronamespace = 'public'::regnamespace and lanname <> 'c'`,
  `select 'sequence ' || sequencename || ' ' || data_type::text || ' ' || start_value as line from pg_sequences where schemaname = 'public'`,
  `select 'extension ' || extname as line from pg_extension where extname <> 'plpgsql'`,
]

/** The tables of a database with their columns, indexes and triggers, in lines that are in order; white space does not count. */
export async function schemaOf(db: Kysely<unknown>, isPostgres: boolean): Promise<string[]> {
  const lines: string[] = []
  for (const query of isPostgres ? POSTGRES : SQLITE) {
    const { rows } = await db.executeQuery<{ line: string }>(CompiledQuery.raw(query))
    lines.push(...rows.map(({ line }) => normal(line)))
  }
  // The migrator's own tables are not part of any migration.
  return lines.filter((line) => !line.includes('kysely_migration')).sort()
}

/** Text without differences in white space; control characters are written as JSON does. */
function normal(text: string): string {
  const spaced = text
    .replace(/[ \n\t]+/g, ' ')
    .replace(/(?<=\() | (?=\))/g, '')
    .trim()
  return JSON.stringify(spaced).slice(1, -1).replaceAll('\\"', '"').replaceAll('\x7f', '\\u007f')
}

/** All rows of all tables, by the names of the tables; rows in order of their text. */
export async function contentsOf(db: Kysely<unknown>, isPostgres: boolean): Promise<Record<string, string[]>> {
  const tables = isPostgres
    ? `select tablename as name from pg_tables where schemaname = 'public'`
    : `select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
  const { rows } = await db.executeQuery<{ name: string }>(CompiledQuery.raw(tables))
  const contents: Record<string, string[]> = {}
  for (const { name } of rows.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const found = await db.executeQuery<Rows[number]>(CompiledQuery.raw(`select * from "${name}"`))
    contents[name] = found.rows.map((row) => JSON.stringify(name === 'kysely_migration' ? row.name : row)).sort()
  }
  return contents
}
