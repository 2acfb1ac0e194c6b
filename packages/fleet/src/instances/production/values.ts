import type { Framework } from '#/instances/record.ts'

/** What names the database that a clone is seeded with (INS-107). */
export const seedValues = (framework: Framework | null, path: string): ReadonlyMap<string, string> =>
  new Map([
    ['DB_CONNECTION', 'sqlite'],
    ['DB_DATABASE', path],
    ...(framework === 'symfony' ? [['DATABASE_URL', `sqlite:///${path}`] as const] : []),
  ])

/** What a clone has instead of the values of its candidate (ENV-068, ENV-069). */
export const productionValues = (framework: Framework | null): ReadonlyMap<string, string> =>
  new Map(
    framework === 'symfony'
      ? [
          ['APP_ENV', 'prod'],
          ['APP_DEBUG', '0'],
        ]
      : [
          ['APP_ENV', 'production'],
          ['APP_DEBUG', 'false'],
        ],
  )
