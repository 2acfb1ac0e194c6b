import type { ScheduleTexts } from '#/schedules/unit.ts'

/** What the files of a Schedule say, by what it is about: each has a Doctor code of its own (DRF-050, DRF-051). */
export interface Aspects {
  readonly calendar: string
  /** Account, directory, environment and shell. */
  readonly context: string
  /** How the end of a run is reported. */
  readonly callback: string
  /** Everything else. */
  readonly specification: string
}

const LINES: ReadonlyArray<readonly [aspect: keyof Aspects, line: RegExp]> = [
  ['calendar', /^OnCalendar=/],
  ['context', /^(?:User|Group|WorkingDirectory|Environment|EnvironmentFile|ExecStart|ExecStartPre)=|^cd -- /],
  ['callback', /^ExecStopPost=/],
]

export function aspectsOf({ script, service, timer }: ScheduleTexts): Aspects {
  const found: Record<keyof Aspects, string> = { calendar: '', context: '', callback: '', specification: '' }
  const [head, own] = splitScript(script)
  for (const line of [...head, ...service.split('\n'), ...timer.split('\n')]) {
    const aspect = LINES.find(([, pattern]) => pattern.test(line))?.[0] ?? 'specification'
    found[aspect] += `${line}\n`
  }
  return { ...found, specification: found.specification + own }
}

/** The command may begin as a line of ours does: it is what follows the first lines. */
const HEAD_LINES = 3
function splitScript(script: string): readonly [head: readonly string[], own: string] {
  const lines = script.split('\n')
  return [lines.slice(0, HEAD_LINES), lines.slice(HEAD_LINES).join('\n')]
}
