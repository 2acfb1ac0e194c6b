import { MalformedOutput, programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

/** The installed version of apt, where both it and the package database can be used. */
export const inspectApt: NodeScript<void, string> = {
  source: programOf(textFile('inspect-apt.sh', import.meta.url), START),
  timeoutSeconds: 60,
  reasons: {},
  broken: 'node.tool_manager_materialization_failed',
  read: (answer) => {
    const version = answer.text('version')
    if (!VERSION.test(version)) throw new MalformedOutput('not a version')
    return version
  },
}

const VERSION = /^[0-9][A-Za-z0-9.+:~-]{0,63}$/
