import { type DatabaseDriver, type DatabaseEngine, DEFAULT_SERVER_TAG } from '@fleet/contract'

interface Engine {
  readonly image: string
  readonly driver: DatabaseDriver
  readonly command: readonly string[]
  /** Port in the container, and the default one of the Node. */
  readonly port: number
  /** Variable with which the image sets the root password of an empty volume. */
  readonly passwordVariable: string
  /** Names of databases; those of MySQL are counted in characters, of PostgreSQL in bytes. */
  readonly nameMaxCharacters: number
}

export const ENGINES = {
  mysql: {
    image: 'mysql',
    driver: 'mysql',
    command: ['mysqld'],
    port: 3306,
    passwordVariable: 'MYSQL_ROOT_PASSWORD',
    nameMaxCharacters: 64,
  },
  mariadb: {
    image: 'mariadb',
    driver: 'mysql',
    command: ['mariadbd'],
    port: 3306,
    passwordVariable: 'MARIADB_ROOT_PASSWORD',
    nameMaxCharacters: 64,
  },
  pgsql: {
    image: 'postgres',
    driver: 'pgsql',
    command: ['postgres'],
    port: 5432,
    passwordVariable: 'POSTGRES_PASSWORD',
    nameMaxCharacters: 63,
  },
} as const satisfies Record<DatabaseEngine, Engine>

export const engineRule = (engine: DatabaseEngine): Engine => ENGINES[engine]

/** What a tag of a request means (decision 25). */
export interface ServerImage {
  readonly engine: DatabaseEngine
  /** As it is stored and shown. */
  readonly tag: string
  readonly image: string
}

const BY_IMAGE: Readonly<Record<string, DatabaseEngine>> = {
  mysql: 'mysql',
  mariadb: 'mariadb',
  postgres: 'pgsql',
}

export function imageOf(tag: string | null | undefined): ServerImage {
  const given = tag ?? DEFAULT_SERVER_TAG
  const [first = '', second] = given.split(':')
  const engine = second === undefined ? 'mysql' : (BY_IMAGE[first] ?? 'mysql')
  // The image of MySQL is named by its tag alone, whichever way it was given.
  return {
    engine,
    tag: first === 'mysql' && second !== undefined ? second : given,
    image: `${ENGINES[engine].image}:${second ?? first}`,
  }
}

/** Where the image keeps its data: PostgreSQL's moved with version 18. */
export function dataPath({ engine, image }: ServerImage): string {
  if (engine !== 'pgsql') return '/var/lib/mysql'
  const major = Number.parseInt(image.slice(image.indexOf(':') + 1), 10)
  return major < 18 ? '/var/lib/postgresql/data' : '/var/lib/postgresql'
}
