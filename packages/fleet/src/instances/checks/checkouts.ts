import { type DoctorCode, LITERALS } from '@fleet/contract'
import { ROOT_FILES, textFile } from '@fleet/shell'
import type { CheckoutRow, InstanceQueries } from '#/instances/queries.ts'
import {
  asked,
  type Check,
  type FamilyChecks,
  type Finding,
  type Question,
  readPrinted,
} from '#/nodes/api.ts'
import { repositoryIdentity } from '#/projects/api.ts'

export interface CheckoutCheckDeps {
  readonly queries: Pick<InstanceQueries, 'checkoutsOn'>
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
}

const states = ['own', 'missing', 'layout', 'foreign', 'repository'] as const

interface CheckoutState {
  readonly state: (typeof states)[number]
  /** URL of its origin; it may hold credentials and is never reported. */
  readonly origin: string | undefined
}

type Checkouts = ReadonlyMap<number, CheckoutState>

/** Checkouts of development Instances against their records: one question for all of a Node (DRF-042, DRF-043). */
export const makeCheckoutChecks = (deps: CheckoutCheckDeps): FamilyChecks => ({
  family: 'instance',
  checksOf: async (_call, node) => {
    const rows = await deps.queries.checkoutsOn(node.id)
    const question = checkoutsQuestion(deps, rows)
    return rows.flatMap((row) => checksOf(row, question))
  },
})

/** The same checkouts, of their Projects: each has the repository of its Project as its origin (DRF-040). */
export const makeOriginChecks = (deps: CheckoutCheckDeps): FamilyChecks => ({
  family: 'project',
  checksOf: async (_call, node) => {
    const rows = await deps.queries.checkoutsOn(node.id)
    const question = checkoutsQuestion(deps, rows)
    return [...Map.groupBy(rows, ({ project_id: id }) => id)].map(([id, [first, ...rest]]) =>
      asked(
        'project.repository_origin_mismatch',
        { type: 'project', id, name: first?.project_name ?? '' },
        question,
        (checkouts) => {
          const others = [...(first ? [first] : []), ...rest].filter((row) => hasOtherOrigin(row, checkouts))
          return others.length === 0
            ? undefined
            : { expected: 'the repository of the Project', observed: `another in ${named(others)}` }
        },
      ),
    )
  },
})

const named = (rows: readonly CheckoutRow[]): string =>
  rows.length > 3 ? `${rows.length} checkouts` : rows.map(({ name }) => name).join(', ')

function checksOf(row: CheckoutRow, question: Question<Checkouts>): readonly Check[] {
  const resource = { type: 'instance', id: row.id, name: row.name }
  const check = (code: DoctorCode, isWrong: (checkout: CheckoutState) => boolean, finding: Finding): Check =>
    asked(code, resource, question, (checkouts) => {
      const checkout = checkouts.get(row.id)
      return checkout && isWrong(checkout) ? finding : undefined
    })
  return [
    check('instance.checkout_missing', ({ state }) => state === 'missing', {
      expected: 'a checkout',
      observed: 'none',
    }),
    check('instance.source_layout_mismatch', ({ state }) => state === 'layout', {
      expected: row.source_layout ?? 'checkout',
      observed: 'another layout',
    }),
    check('instance.source_identity_mismatch', ({ state }) => state === 'foreign', {
      expected: 'the recorded source',
      observed: 'another source',
    }),
    check('instance.repository_layout_mismatch', ({ state }) => state === 'repository', {
      expected: 'a repository of its own',
      observed: 'another layout',
    }),
    asked('instance.origin_mismatch', resource, question, (checkouts) =>
      hasOtherOrigin(row, checkouts)
        ? { expected: 'the repository of the Project', observed: 'another' }
        : undefined,
    ),
  ]
}

function hasOtherOrigin({ id, repository_identity: identity }: CheckoutRow, checkouts: Checkouts): boolean {
  const origin = checkouts.get(id)?.origin
  return origin !== undefined && repositoryIdentity(origin) !== identity
}

const PROGRAM = [
  ROOT_FILES,
  `receipts=${LITERALS.gitReceiptFolder}`,
  textFile('checkouts.sh', import.meta.url),
].join('\n')

const checkoutsQuestion = (
  { root = '' }: CheckoutCheckDeps,
  rows: readonly CheckoutRow[],
): Question<Checkouts> => ({
  source: PROGRAM,
  args: [
    root,
    ...rows.flatMap(({ checkout_path, preparation_id, main_path }) => [
      checkout_path,
      preparation_id,
      main_path ?? '',
    ]),
  ],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      answer.word('end', ['yes'])
      return new Map(
        rows.map(({ id }, at) => [
          id,
          {
            state: answer.word(`state.${at}`, states),
            origin: answer.has(`origin.${at}`) ? answer.text(`origin.${at}`) : undefined,
          },
        ]),
      )
    }),
})
