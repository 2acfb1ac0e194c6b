import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { keptConnection } from './kept-connection.ts'
import { makeEmptier } from './postgres-emptier.ts'

/** Already migrated by startPostgres: a copy takes half the time of migrating. */
const TEMPLATE = 'fleet_template'
/** Every copy of the template, with the server process of the connection that uses it. */
const COPIES = 'fleet_copies'

/** Makes what the other functions use. Once per server. */
export async function prepareServer(server: string): Promise<void> {
  const client = keptConnection(server)
  await client.query(`create table ${COPIES} (name text primary key, holder integer not null)`)
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
}

/** The address that is to be migrated before the first copy. */
export const templateUrl = (server: string): string => databaseUrl(server, TEMPLATE)

/** The address of another database on the same server. */
export const databaseUrl = (server: string, name: string): string => {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** A migrated database without rows. */
export interface Copy {
  readonly url: string
  /** Empties it for the next test. */
  giveBack(): Promise<void>
}

/**
 * The databases that the tests of this process use, one after the other. Its connections stay open between the tests,
 * because a connection costs a server process, and keep nobody from ending.
 */
export class PostgresDatabases {
  readonly #server: string
  readonly #free: Copy[] = []
  #admin: Promise<Admin> | undefined

  constructor(server: string) {
    this.#server = server
  }

  /** A database that another test gave back, also one of a process that has ended, else a new one of some three hundred files. */
  async take(): Promise<Copy> {
    const admin = await this.#connected()
    // A server that somebody else gave keeps nothing of ours: its databases might outlive a change of the migrations.
    if (!admin.isOurs) return this.createEmpty()
    const own = this.#free.pop()
    if (own) return own
    const { rows } = await admin.client.query<{ name: string }>(INHERIT, [admin.pid])
    const name = rows[0]?.name ?? (await this.#copy(admin))
    return this.#opened(name)
  }

  /** A database without tables, which is dropped when it is given back. */
  async createEmpty(): Promise<Copy> {
    const { client } = await this.#connected()
    const name = newName()
    await client.query(`create database ${name} template template1 strategy file_copy`)
    return {
      url: databaseUrl(this.#server, name),
      giveBack: async () => void (await client.query(`drop database ${name} with (force)`)),
    }
  }

  async #copy({ client, pid }: Admin): Promise<string> {
    const name = newName()
    await client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`)
    await client.query(`insert into ${COPIES} values ($1, $2)`, [name, pid])
    return name
  }

  async #opened(name: string): Promise<Copy> {
    const url = databaseUrl(this.#server, name)
    const empty = await makeEmptier(url)
    // Whoever had it before may have ended in the middle of a test.
    await empty()
    const copy = {
      url,
      giveBack: async (): Promise<void> => {
        await empty()
        this.#free.push(copy)
      },
    }
    return copy
  }

  #connected(): Promise<Admin> {
    return (this.#admin ??= openAdmin(this.#server))
  }
}

interface Admin {
  readonly client: Pool
  /** The server process behind it. */
  readonly pid: number
  readonly isOurs: boolean
}

const INHERIT = `
  update ${COPIES} set holder = $1 where name = (
    select name from ${COPIES}
      where not exists (select from pg_stat_activity where pid = holder)
      limit 1 for update skip locked
  ) returning name`

const openAdmin = async (server: string): Promise<Admin> => {
  const client = keptConnection(server)
  const { rows } = await client.query<{ pid: number; ours: boolean }>(
    `select pg_backend_pid() as pid, to_regclass('${COPIES}') is not null as ours`,
  )
  return { client, pid: rows[0]?.pid ?? 0, isOurs: rows[0]?.ours === true }
}

const newName = (): string => `fleet_test_${randomBytes(8).toString('hex')}`
