import type { Framework } from '#/instances/record.ts'

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
