import { programOf, textFile } from '@fleet/shell'
import { LOGIN_LIBRARY } from '#/source-host/login.ts'

/** One Git command on the gateway with a login. Arguments: those of Git. Standard input: the login. */
export const READ_REMOTE: string = programOf(
  textFile('commands/read-remote.sh', import.meta.url),
  LOGIN_LIBRARY,
)
