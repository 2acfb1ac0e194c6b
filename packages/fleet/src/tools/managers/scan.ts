import type { ScannedManager, ScanState } from '@fleet/contract'
import { type Answer, programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'
import { bottleTag } from '#/tools/managers/bottle.ts'
import { inBrewScope } from '#/tools/managers/brew.ts'
import {
  casksIn,
  formulaeIn,
  type FoundPackage,
  globalsIn,
  type IsNeeded,
} from '#/tools/managers/inventory.ts'

const SOURCES = {
  brew: inBrewScope(textFile('../commands/scan-brew.sh', import.meta.url)),
  'brew-cask': inBrewScope(textFile('../commands/scan-casks.sh', import.meta.url)),
  vp: programOf(
    textFile('../commands/scan-vp.sh', import.meta.url),
    START,
    textFile('../commands/vp.sh', import.meta.url),
  ),
} as const satisfies Record<ScannedManager, string>

/** What a manager has installed, or why that cannot be said. Throws `tool.version_probe_failed`. */
export const scanScript = (
  manager: ScannedManager,
  root: string,
  isNeeded: IsNeeded,
): NodeScript<void, readonly FoundPackage[] | ScanState> => ({
  source: SOURCES[manager],
  as: 'login',
  args: () => [root],
  isLong: true,
  timeoutSeconds: 120,
  maxOutputBytes: 32 * 1024 * 1024,
  reasons: {},
  readsRefusals: true,
  broken: 'tool.version_probe_failed',
  read: (answer) =>
    answer.has('refused')
      ? REFUSED[answer.word('refused', ['absent', 'conflicting', 'unreadable'])]
      : packagesIn(manager, answer, isNeeded),
})

const REFUSED = {
  absent: 'absent',
  conflicting: 'conflicting',
  unreadable: 'incomplete',
} as const satisfies Record<string, ScanState>

function packagesIn(manager: ScannedManager, answer: Answer, isNeeded: IsNeeded): readonly FoundPackage[] {
  if (manager === 'vp') return globalsIn(answer.text('list'), isNeeded)
  const [system, machine, release] = [answer.text('system'), answer.text('machine'), answer.text('release')]
  const of = {
    tag: bottleTag({ system, machine, release }),
    home: answer.text('home'),
    prefix: answer.text('prefix'),
  }
  const printed = answer.text('info')
  return manager === 'brew'
    ? formulaeIn({ names: answer.text('names'), printed }, of, isNeeded)
    : casksIn({ versions: answer.text('versions'), printed }, of, isNeeded)
}
