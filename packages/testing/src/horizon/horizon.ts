import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A job as Horizon stores it in Redis: times in seconds as text, the payload as JSON. */
export interface HorizonJob {
  readonly id: string
  readonly connection: string
  readonly queue: string
  readonly name: string
  readonly status: string
  readonly payload: string
  readonly exception: string | null
  readonly failed_at: string | null
  readonly completed_at: string | null
  readonly retried_by: string | null
  readonly reserved_at: string | null
}

/** What the API of the dashboard answers, in its own words. */
export interface HorizonStore {
  readonly stats: Readonly<Record<string, unknown>>
  readonly workload: readonly Readonly<Record<string, unknown>>[]
  readonly jobs: Readonly<Record<'pending' | 'completed' | 'failed', readonly HorizonJob[]>>
  readonly config?: Readonly<Record<string, string>>
  /** What Redis says instead of an answer. */
  readonly fails?: string
  readonly hangs?: true
}

export interface HorizonApplication {
  report(store: HorizonStore): void
  /** Its next start fails. */
  break(): void
  without(file: 'vendor' | 'bootstrap' | 'Horizon'): void
}

const HERE = import.meta.dirname

/** A Laravel look-alike with a queue dashboard, in real PHP, in this folder. */
export function horizonApplication(directory: string, store: HorizonStore): HorizonApplication {
  for (const folder of ['vendor', 'bootstrap', 'storage'])
    mkdirSync(join(directory, folder), { recursive: true })
  copyFileSync(join(HERE, 'autoload.php'), join(directory, 'vendor', 'autoload.php'))
  copyFileSync(join(HERE, 'app.php'), join(directory, 'bootstrap', 'app.php'))
  const report = (given: HorizonStore): void =>
    writeFileSync(join(directory, 'storage', 'horizon.json'), JSON.stringify(given))
  report(store)
  return {
    report,
    break: () => writeFileSync(join(directory, 'storage', 'broken'), ''),
    without: (file) => {
      if (file === 'Horizon') writeFileSync(join(directory, 'vendor', 'autoload.php'), '<?php\n')
      else rmSync(join(directory, file), { recursive: true })
    },
  }
}
