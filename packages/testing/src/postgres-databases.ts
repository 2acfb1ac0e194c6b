import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** Already migrated by startPostgres: a copy takes half the time of migrating. */
const TEMPLATE = 'fleet_template'
/** Migrated and emptied databases whose tests have ended. */
const FREE = 'fleet_free_databases'

/** Makes what the other functions use. Once per server. */
export const prepareServer = (server: string): Promise<void> =>
  onServer(server, async (client) => {
    await client.query(`create table ${FREE} (name text primary key)`)
    await client.query(`create database ${TEMPLATE}`)
  })

/** The address that is to be migrated before the first copy. */
export const templateUrl = (server: string): string => databaseUrl(server, TEMPLATE)

/** A database without tables. */
export function createEmpty(server: string): Promise<string> {
  return create(server, 'template1')
}

/** A migrated database: one that another test gave back, else a new one. A new one means some three hundred files. */
export async function takeMigrated(server: string): Promise<string> {
  if (!(await isOurs(server))) return createEmpty(server)
  const free = await onServer(server, async (client) => {
    const oldest = `select name from ${FREE} limit 1 for update skip locked`
    const { rows } = await client.query<{ name: string }>(
      `delete from ${FREE} where name = (${oldest}) returning name`,
    )
    return rows[0]?.name
  })
  return free ?? (await create(server, TEMPLATE))
}

/** Empties a migrated database for the next test. */
export async function giveBack(server: string, name: string): Promise<void> {
  if (!(await isOurs(server))) return drop(server, name)
  await onServer(databaseUrl(server, name), (client) => client.query(EMPTY))
  await onServer(server, (client) => client.query(`insert into ${FREE} values ($1)`, [name]))
}

export async function drop(server: string, name: string): Promise<void> {
  await onServer(server, (client) => client.query(`drop database ${name} with (force)`))
}

/** The address of another database on the same server. */
export const databaseUrl = (server: string, name: string): string => {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

// Deleting is quicker than truncating, which makes new files; without triggers the order of the tables does not matter.
const EMPTY = `
  select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid();
  set session_replication_role = replica;
  do $$ declare found record; begin
    for found in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
      execute format('delete from %I', found.tablename);
    end loop;
    for found in select sequencename from pg_sequences where schemaname = 'public' loop
      perform setval(found.sequencename::regclass, 1, false);
    end loop;
  end $$`

// A server that somebody else gave keeps nothing of ours: its databases might outlive a change of the migrations.
const isOurs = (server: string): Promise<boolean> =>
  onServer(server, async (client) => {
    const { rows } = await client.query<{ ours: boolean }>(
      `select to_regclass('${FREE}') is not null as ours`,
    )
    return rows[0]?.ours === true
  })

const create = async (server: string, template: string): Promise<string> => {
  const name = `fleet_test_${randomBytes(8).toString('hex')}`
  await onServer(server, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  )
  return name
}

const onServer = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
