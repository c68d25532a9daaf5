'use strict';

const fs = require('fs');
const http = require('http');
const path = require('path');
const mkdirp = require('mkdirp');
const { productsPage, shop } = require('./products-page.js');

const port = Number(process.env.PORT || 3000);
const logFolder = path.join(__dirname, shop.log.folder);
mkdirp.sync(logFolder);
const accessLog = fs.createWriteStream(path.join(logFolder, 'access.log'), { flags: 'a' });

const server = http.createServer((request, response) => {
  const { pathname, search } = new URL(request.url, 'http://localhost');
  accessLog.write(`${new Date().toISOString()} ${request.method} ${pathname}\n`);
  if (pathname !== '/') {
    response.writeHead(404).end('Not found\n');
    return;
  }
  productsPage(search.slice(1)).then(
    (html) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
    () => response.writeHead(500).end('Something went wrong\n'),
  );
});

server.listen(port, '127.0.0.1', () => {
  console.log(`${shop.name} is open on http://localhost:${server.address().port}`);
});
