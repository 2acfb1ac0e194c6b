import { startPostgres } from '@fleet/testing'

/** The PostgreSQL server of one test run. */
export interface RunPostgres extends AsyncDisposable {
  /** Undefined when none could be started. */
  readonly url: string | undefined
  /** Why there is none. */
  readonly missing?: string
}

/** The server that FLEET_TEST_DATABASE_URL names, or one of our own below the folder that ends with the run. */
export async function openPostgres(
  env: Readonly<Record<string, string | undefined>>,
  folder?: string,
): Promise<RunPostgres> {
  const given = env['FLEET_TEST_DATABASE_URL']
  if (given !== undefined && given !== '')
    return { url: given, [Symbol.asyncDispose]: () => Promise.resolve() }
  try {
    return await startPostgres(folder)
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error)
    return { url: undefined, missing, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
}
