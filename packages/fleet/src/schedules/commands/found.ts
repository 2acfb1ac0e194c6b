import { type Answer, programOf, START, textFile } from '@fleet/shell'
import { MARKER } from '#/managed-services/api.ts'
import type { NodeScript } from '#/nodes/api.ts'

export const FOUND = textFile('found.sh', import.meta.url)
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Ids of the Schedules that have something on the Node, whoever knows of them. */
export const findInstalled: NodeScript<string, readonly string[]> = {
  source: programOf(FOUND, START, MARKER),
  args: (root) => [root],
  timeoutSeconds: 30,
  reasons: {},
  broken: 'schedule.install_failed',
  read: (answer) => idsIn(answer),
}

export const idsIn = (answer: Answer): readonly string[] =>
  answer
    .text('found')
    .split('\n')
    .filter((line) => UUID.test(line))
