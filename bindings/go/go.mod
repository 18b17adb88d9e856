module sdimage

go 1.19
