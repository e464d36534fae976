package store

// NewProvider gives tests the steps one by one, and the way down.
var NewProvider = newProvider
