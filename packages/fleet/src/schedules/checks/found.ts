import { type Answer, FIELD_WRITERS, programOf, ROOT_FILES, textFile } from '@fleet/shell'
import { MARKER } from '#/managed-services/api.ts'
import { type Question, readPrinted } from '#/nodes/api.ts'
import { FOUND, idsIn } from '#/schedules/commands/found.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'
import { pathsOf, type ScheduleTexts } from '#/schedules/unit.ts'

const PARTS = ['script', 'service', 'timer'] as const

/** What is on the Node of one Schedule. */
export interface FoundSchedule {
  /** `none`, `foreign`, or mode, owner and group. */
  readonly modes: Readonly<Record<(typeof PARTS)[number], string>>
  /** Of files that are there and have the marker. */
  readonly texts: Partial<ScheduleTexts>
  /** Systemd answered what the timer does. */
  readonly isKnown: boolean
  readonly isEnabled: boolean
  readonly isActive: boolean
}

export type FoundSchedules = ReadonlyMap<string, FoundSchedule>

/** One answer about all installed Schedules of a Node. */
export const filesQuestion = (
  root: string,
  schedules: readonly ScheduleRecord[],
): Question<FoundSchedules> => ({
  source: [ROOT_FILES, MARKER, textFile('files.sh', import.meta.url)].join('\n'),
  args: [root, ...schedules.flatMap(({ id }) => [id, ...pathsOf(id)])],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      answer.word('end', ['yes'])
      return new Map(schedules.map(({ id }, at) => [id, foundAt(answer, at)]))
    }),
})

function foundAt(answer: Answer, at: number): FoundSchedule {
  const texts: Record<string, string> = {}
  for (const part of PARTS) {
    const text = answer.get(`text.${part}.${at}`)
    if (text) texts[part] = text.toString('utf8')
  }
  const mode = (part: (typeof PARTS)[number]): string => answer.text(`mode.${part}.${at}`)
  return {
    modes: { script: mode('script'), service: mode('service'), timer: mode('timer') },
    texts,
    isKnown: answer.text(`active.${at}`) !== '',
    isEnabled: answer.text(`enabled.${at}`) === 'enabled',
    isActive: answer.text(`active.${at}`) === 'active',
  }
}

/** Ids of everything on a Node that has the marker of a Schedule. */
export const idsQuestion = (root: string): Question<readonly string[]> => ({
  source: programOf(FOUND, FIELD_WRITERS, MARKER),
  args: [root],
  read: (printed) => readPrinted(printed, idsIn),
})
