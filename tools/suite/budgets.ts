import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './outcome.ts'

/** Processor seconds that the tests of a domain, or of a file on hosts, may take: they hardly depend on what else runs. */
export interface Budgets {
  /** What a domain without a row may take. */
  readonly default: number
  readonly rows: Readonly<Record<string, number>>
  /** Files on hosts that take more than a run which decides has: they run when they are named, and with `--whole`. */
  readonly onDemand?: readonly string[]
}

/** The budgets of `npm test` by domain (`packages/fleet/dns`), or those of `npm run test:lab` by file (`network`). */
export function readBudgets(root: string, kind: 'tests' | 'lab'): Budgets {
  const all = JSON.parse(readFileSync(join(root, 'tools/budgets.json'), 'utf8')) as Record<
    typeof kind,
    Budgets
  > // Written by hand, reviewed with the code.
  return all[kind]
}

/** One line for each domain whose tests took more than its budget. They warn: a busy machine may cost a little, too. */
export function overBudget(outcomes: readonly Outcome[], budgets: Budgets): readonly string[] {
  return [...spentBy(outcomes)]
    .map(([name, spent]) => ({ name, spent, budget: budgets.rows[name] ?? budgets.default }))
    .filter(({ spent, budget }) => spent > budget)
    .map(
      ({ name, spent, budget }) =>
        `over budget: ${name} took ${spent.toFixed(1)} of ${budget} processor seconds`,
    )
}

/** Processor seconds by domain, the most expensive first. */
export function spentBy(outcomes: readonly Outcome[]): ReadonlyMap<string, number> {
  const spent = new Map<string, number>()
  for (const { spent: files = {}, lab, cpuSeconds = 0 } of outcomes) {
    if (lab !== undefined) spent.set(lab, cpuSeconds)
    else
      for (const [file, seconds] of Object.entries(files)) {
        const name = domainOf(file)
        spent.set(name, (spent.get(name) ?? 0) + seconds)
      }
  }
  return new Map([...spent].toSorted(([, a], [, b]) => b - a))
}

/** `packages/fleet/dns` of `packages/fleet/src/dns/list.test.ts`, `packages/ssh` of `packages/ssh/src/pool.test.ts`. */
export function domainOf(file: string): string {
  const [kind = '', name = '', , domain = ''] = file.split('/')
  if (kind === 'tools') return kind
  return `${kind}/${name}` === 'packages/fleet' ? `${kind}/${name}/${domain}` : `${kind}/${name}`
}
