int main(int c,char**v){(void)v;return c>99;}
