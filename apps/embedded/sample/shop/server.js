import { createServer } from 'node:http'

const { SHOP_NAME, SHOP_GREETING, SHOP_CURRENCY, SHOP_SHELF, SHOP_HOST, SHOP_PORT } = process.env

const shelf = (SHOP_SHELF ?? '').split('\n').filter(Boolean)
const window = [SHOP_NAME, SHOP_GREETING, '', ...shelf.map((item) => `- ${item} ${SHOP_CURRENCY}`), ''].join('\n')

createServer((request, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  response.end(window)
}).listen(Number(SHOP_PORT ?? 3000), SHOP_HOST)
