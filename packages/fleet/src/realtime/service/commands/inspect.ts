import { type Command, script } from '@fleet/shell'
import { EXECUTABLE_STATE } from '#/nodes/api.ts'
import { placeWords, SERVER } from '#/realtime/service/commands/library.ts'
import type { ServerPlaces } from '#/realtime/service/place.ts'

/** The executable's state and the server's files, in one round trip; nothing is changed. */
export const inspectServer = ({ executable, server }: ServerPlaces): Command =>
  script(SOURCE, ...placeWords(server), executable.directory, executable.link)

const SOURCE = `# look at the websocket server
${SERVER}
directory=$1 link=$2
${EXECUTABLE_STATE}
executable_state
server_state
`
