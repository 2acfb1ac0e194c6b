import { type DoctorCode, LITERALS } from '@fleet/contract'
import { ROOT_FILES, textFile } from '@fleet/shell'
import type { Store } from '@fleet/store'
import { hasRunning, type ProductionHome, productionHomes, selectedRelease } from '#/deployments/queries.ts'
import { RELEASES } from '#/instances/api.ts'
import {
  asked,
  type Check,
  type FamilyChecks,
  type Question,
  readPrinted,
  type Verdict,
} from '#/nodes/api.ts'

interface HomeCheckDeps {
  readonly store: Pick<Store, 'db'>
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
}

const homeStates = ['own', 'missing', 'owner', 'releases', 'open'] as const
const selectionStates = ['own', 'none', 'folder', 'other'] as const
const releaseStates = ['own', 'missing', 'owner', 'incomplete'] as const

interface HomeState {
  readonly home: (typeof homeStates)[number]
  readonly selection: (typeof selectionStates)[number]
  readonly release: (typeof releaseStates)[number]
}
type Homes = ReadonlyMap<number, HomeState>

/** Homes of production Instances against their records, one question for all of a Node (DRF-047). */
export const makeHomeChecks = (deps: HomeCheckDeps): FamilyChecks => ({
  family: 'instance',
  checksOf: async (_call, node) => {
    const homes = await productionHomes(deps.store.db, node.id)
    const question = homesQuestion(deps.root ?? '', homes)
    return homes.flatMap((home) => checksOf(deps, home, question))
  },
})

const HOME_WORDS = {
  missing: 'none',
  owner: 'a link, a file or a directory of another user',
  releases: 'releases that are a link or of another user',
  open: 'open to everybody',
} as const satisfies Record<Exclude<HomeState['home'], 'own'>, string>

const SELECTION_WORDS = {
  none: 'none',
  folder: 'a file or a directory',
  other: 'another release',
} as const satisfies Record<Exclude<HomeState['selection'], 'own'>, string>

const RELEASE_WORDS = {
  missing: 'none',
  owner: 'a link, a file or a directory of another user',
  incomplete: 'an unfinished release',
} as const satisfies Record<Exclude<HomeState['release'], 'own'>, string>

function checksOf(
  { store }: HomeCheckDeps,
  { id, name, selected_release: selected }: ProductionHome,
  question: Question<Homes>,
): readonly Check[] {
  const check = (code: DoctorCode, judge: (state: HomeState) => Verdict | Promise<Verdict>): Check =>
    asked(code, { type: 'instance', id, name }, question, (homes) => {
      const state = homes.get(id)
      return state ? judge(state) : { unverifiable: 'no answer' }
    })
  /** What a deployment is just changing is as it should be, and in a home that is not right nothing else is said. */
  const settled = async ({ home }: HomeState, verdict: Verdict): Promise<Verdict> => {
    if (verdict === undefined || home !== 'own' || (await hasRunning(store.db, id))) return undefined
    return (await selectedRelease(store.db, id)) === (selected ?? undefined) ? verdict : undefined
  }
  return [
    check('instance.production_home_mismatch', ({ home }) =>
      home === 'own' ? undefined : { expected: 'a home of its own', observed: HOME_WORDS[home] },
    ),
    check('instance.release_selection_mismatch', (state) =>
      settled(state, selectionVerdict(state.selection, selected)),
    ),
    check('instance.selected_release_root_mismatch', (state) =>
      settled(
        state,
        selected === null || state.release === 'own'
          ? undefined
          : { expected: selected, observed: RELEASE_WORDS[state.release] },
      ),
    ),
  ]
}

function selectionVerdict(selection: HomeState['selection'], selected: string | null): Verdict {
  if (selection === (selected === null ? 'none' : 'own')) return undefined
  const observed = selection === 'own' ? 'another release' : SELECTION_WORDS[selection]
  return { expected: selected ?? 'none', observed }
}

const PROGRAM = [
  ROOT_FILES,
  `releases=${RELEASES} receipts=${LITERALS.gitReceiptFolder}`,
  textFile('homes.sh', import.meta.url),
].join('\n')

const homesQuestion = (root: string, homes: readonly ProductionHome[]): Question<Homes> => ({
  source: PROGRAM,
  args: [
    root,
    ...homes.flatMap(({ production_home: home, production_user: user, selected_release: selected }) => [
      home,
      user,
      selected ?? '',
    ]),
  ],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      answer.word('end', ['yes'])
      return new Map(
        homes.map(({ id }, at) => [
          id,
          {
            home: answer.word(`home.${at}`, homeStates),
            selection: answer.word(`selection.${at}`, selectionStates),
            release: answer.word(`release.${at}`, releaseStates),
          },
        ]),
      )
    }),
})
