// `npm run lab -- up|down|status|ssh HOST`: real Debian hosts on this machine.
import { resolve } from 'node:path'
import { commands } from './commands.ts'
import { LabFault } from './program.ts'

const [verb = '', ...words] = process.argv.slice(2)
try {
  const command = commands[verb]
  if (!command) throw new LabFault(`usage: npm run lab -- ${Object.keys(commands).join('|')}`)
  process.exitCode = await command(resolve(import.meta.dirname, '..'), words)
} catch (error) {
  if (!(error instanceof LabFault)) throw error
  console.error(error.message)
  process.exitCode = 1
}
