import { fail } from '@fleet/contract'
import { type Answer, programOf, ROOT_FILES, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript, type NodeSession } from '#/nodes/api.ts'
import { APT, lockHolder } from '#/tools/commands/apt.ts'
import { bottleTag } from '#/tools/managers/bottle.ts'
import { caskState } from '#/tools/managers/cask-policy.ts'
import { formulaState } from '#/tools/managers/formula-output.ts'
import type { Manager } from '#/tools/managers/manager.ts'
import { provisionReasons } from '#/tools/managers/reasons.ts'
import { userManager } from '#/tools/managers/user-manager.ts'

/** The revision of Homebrew that Fleet checks out on Linux (TLX-014). */
export const HOMEBREW = { tag: '6.0.22', revision: '08e85c4e42f5d8f1ea17c36cb59cf61c2ccb26c3' } as const
export type BrewPin = { readonly tag: string; readonly revision: string }

const SCOPE = textFile('../commands/brew.sh', import.meta.url)
const REQUIRE = textFile('../commands/require-brew.sh', import.meta.url)
const inspect = textFile('../commands/inspect-brew.sh', import.meta.url)
const FORMULA = {
  inspect,
  read: textFile('../commands/read-formula.sh', import.meta.url),
  install: textFile('../commands/install-formula.sh', import.meta.url),
  update: textFile('../commands/update-formula.sh', import.meta.url),
  remove: textFile('../commands/remove-formula.sh', import.meta.url),
} as const
const CASK = {
  inspect,
  read: textFile('../commands/read-cask.sh', import.meta.url),
  install: textFile('../commands/install-cask.sh', import.meta.url),
  update: textFile('../commands/update-cask.sh', import.meta.url),
  remove: textFile('../commands/remove-cask.sh', import.meta.url),
} as const

/** Finds Homebrew, and ends where Fleet may not use it. */
export const inBrewScope = (program: string): string => programOf(program, START, SCOPE, REQUIRE)

const PLAN = inBrewScope(textFile('../commands/plan-formula.sh', import.meta.url))

const machineOf = (answer: Answer) => ({
  home: answer.text('home'),
  prefix: answer.text('prefix'),
  tag: bottleTag({
    system: answer.text('system'),
    machine: answer.text('machine'),
    release: answer.text('release'),
  }),
})

const brewVersion = (printed: string): string | undefined => /^Homebrew (\d[\w.+-]{0,63})/m.exec(printed)?.[1]

/** Formulae, as bottles alone (TOOL-055). */
export const brew = (root: string, pin: BrewPin = HOMEBREW): Manager =>
  userManager({
    name: 'brew',
    label: 'Homebrew',
    root,
    sourceOf: (script) => inBrewScope(FORMULA[script]),
    version: brewVersion,
    state: (answer, name) =>
      formulaState(
        { names: answer.text('names'), printed: answer.text('info') },
        name,
        machineOf(answer).tag,
      ),
    provision: (session) => provisionBrew(session, root, pin),
    // It refuses such a removal too, with a text alone.
    removal: {
      source: PLAN,
      command: 'brew uses --installed',
      neededBy: (answer) =>
        answer
          .text('needed')
          .split(/\s+/)
          .filter((name) => FORMULA_NAME.test(name)),
    },
  })

const FORMULA_NAME = /^[a-z0-9][\w@+./-]*$/i

/** Casks that need no administrator; they are in the prefix of the formulae, and nothing installs it for them (TLX-014). */
export function brewCask(root: string): Manager {
  const casks = userManager({
    name: 'brew-cask',
    label: 'Homebrew',
    root,
    sourceOf: (script) => inBrewScope(CASK[script]),
    version: brewVersion,
    state: (answer, token) =>
      caskState(
        { printed: answer.text('info'), versions: answer.text('versions') },
        token,
        machineOf(answer),
      ),
  })
  return {
    ...casks,
    remove: async (session, token) => {
      const state = await casks.read(session, token)
      if (state.isSafeToRemove === false)
        throw fail('tool.remove_failed', {
          message:
            'Removing this cask would run scripts or ask for an administrator, so nothing was removed.',
        })
      await casks.remove(session, token)
    },
  }
}

async function provisionBrew(session: NodeSession, root: string, pin: BrewPin): Promise<void> {
  await session.ask(prepare, { root, user: session.node.user })
  await session.ask(checkOut, { root, pin })
}

const provision = {
  isLong: true,
  reasons: provisionReasons,
  more: lockHolder,
  broken: 'tool.manager_provision_failed',
} as const

const prepare: NodeScript<{ readonly root: string; readonly user: string }, void> = {
  ...provision,
  source: programOf(textFile('../commands/prepare-brew.sh', import.meta.url), ROOT_FILES, APT),
  args: ({ root, user }) => [root, user],
  read: confirmed('provisioned'),
}

const checkOut: NodeScript<{ readonly root: string; readonly pin: BrewPin }, void> = {
  ...provision,
  source: programOf(textFile('../commands/check-out-brew.sh', import.meta.url), START, SCOPE),
  as: 'login',
  args: ({ root, pin }) => [root, pin.tag, pin.revision],
  read: confirmed('provisioned'),
}
