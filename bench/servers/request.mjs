// The least that a command against a gateway can be: `request.mjs URL CA_FILE` loads TLS, asks once, prints the answer.
import { readFileSync } from 'node:fs'
import { request } from 'node:https'

const [url = '', caFile = ''] = process.argv.slice(2)
request(url, { ca: readFileSync(caFile) }, (response) => response.pipe(process.stdout)).end()
