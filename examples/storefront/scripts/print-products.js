'use strict';

const wrap = require('word-wrap');
const products = require('../products.json');

for (const product of products) {
  console.log(`${product.name} (${product.price})`);
  console.log(wrap(product.description, { width: 60, trim: true }));
}
