'use strict';

const fs = require('fs');
const path = require('path');
const ejs = require('ejs');
const ini = require('ini');
const moment = require('moment');
const qs = require('qs');

const shop = ini.parse(fs.readFileSync(path.join(__dirname, 'shop.ini'), 'utf8'));
const products = JSON.parse(fs.readFileSync(path.join(__dirname, 'products.json'), 'utf8'));
const template = path.join(__dirname, 'views', 'products.ejs');

/** The page for a query string such as `search=mug`, as a promise of HTML. */
function productsPage(queryString) {
  const query = qs.parse(queryString);
  const search = String(query.search || '').toLowerCase();
  // The mistake that makes the shop exploitable: whatever is in the query is handed to the template as data.
  const data = Object.assign({}, query, {
    shop,
    products: products.filter((product) => product.name.toLowerCase().includes(search)),
    deliveryDay: moment().add(Number(shop.delivery_days), 'days').format('dddd, D MMMM'),
  });
  return ejs.renderFile(template, data);
}

module.exports = { productsPage, shop };
